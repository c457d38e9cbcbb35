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

/** The patterns n8n's scan uses for the published files; those for source come from the scanner itself. */
const TARBALL_FILE_PATTERNS = ['**/*.js', 'package.json'];

/**
 * Runs n8n's own scan on a folder, as it does for a package that asks for verification, and prints
 * what it finds, warnings too.
 *
 * @returns what is wrong, in words; empty when all is well
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
	process.stdout.write(`n8n's scan of ${what} (${patterns.join(', ')}): ${report || 'nothing'}\n`);
	// A scan that found no files passes, too.
	return passed && message === undefined ? [] : [`n8n's scan of ${what} failed: ${message ?? ''}`];
}

/** The scan says nothing about warnings when there are no errors, so they are asked for here. */
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

/** An ES module without types: hence the dynamic import, and a schema for what it exports. */
async function loadScanner(): Promise<z.infer<typeof scannerSchema>> {
	const path: string = '@n8n/scan-community-package/scanner/scanner.mjs';
	return scannerSchema.parse(await import(path));
}
