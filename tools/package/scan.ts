import { ESLint, type Linter } from 'eslint';
import { z } from 'zod';

const scannerSchema = z.object({
	SOURCE_FILE_PATTERNS: z.array(z.string()),
	analyzePackage: z
		.function()
		.args(z.string(), z.array(z.string()))
		.returns(z.promise(z.unknown())),
	buildScanConfig: z
		.function()
		.args()
		.returns(z.promise(z.array(z.custom<Linter.Config>((value) => typeof value === 'object')))),
});

const resultSchema = z.object({
	passed: z.boolean(),
	message: z.string().optional(),
	/** ESLint's report, when there are errors. */
	details: z.string().optional(),
});

/** The patterns that n8n's scan uses for published files. The scanner exports those for source files. */
const TARBALL_FILE_PATTERNS = ['**/*.js', 'package.json'];

/**
 * Runs n8n's verification scan on a folder, and prints its findings, including warnings.
 *
 * @returns a description of each problem
 */
export async function scan(
	what: string,
	folder: string,
	kind: 'source' | 'tarball',
): Promise<string[]> {
	const { analyzePackage, SOURCE_FILE_PATTERNS } = await loadScanner();
	const patterns = kind === 'source' ? SOURCE_FILE_PATTERNS : TARBALL_FILE_PATTERNS;
	const { passed, message, details } = resultSchema.parse(await analyzePackage(folder, patterns));
	const report = [message, details ?? (await warnings(folder, patterns))]
		.filter(Boolean)
		.join('\n');
	process.stdout.write(
		`n8n's scan of ${what} (${patterns.join(', ')}): ${report || 'no findings'}\n`,
	);
	// A scan that finds no files also passes, but with a message.
	return passed && message === undefined ? [] : [`n8n's scan of ${what} failed: ${message ?? ''}`];
}

/** Collects the warnings, which the scan omits if there are no errors. */
async function warnings(folder: string, patterns: string[]): Promise<string> {
	const { buildScanConfig } = await loadScanner();
	const eslint = new ESLint({
		cwd: folder,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: await buildScanConfig(),
	});
	const results = await eslint.lintFiles(patterns);
	const formatter = await eslint.loadFormatter('stylish');
	return formatter.format(results);
}

/** Imports the scanner dynamically and validates its exports, because it is an ES module without types. */
async function loadScanner(): Promise<z.infer<typeof scannerSchema>> {
	const path: string = '@n8n/scan-community-package/scanner/scanner.mjs';
	return scannerSchema.parse(await import(path));
}
