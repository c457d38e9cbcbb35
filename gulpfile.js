const { execFile } = require('node:child_process');
const { mkdir, rm, writeFile } = require('node:fs/promises');
const { dirname, join, relative } = require('node:path');
const { promisify } = require('node:util');
const { dest, parallel, series, src } = require('gulp');

const run = promisify(execFile);

/** Renamed or removed files must not stay in the package. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** How much of a function runs before V8 optimizes it: with its default, this takes a fifth of the time of a build. */
const INTERRUPT_BUDGET = '--interrupt-budget=1000000';

/** Compiles into `dist`; with a type error, nothing is written. */
async function compile() {
	try {
		await run(process.execPath, [
			INTERRUPT_BUDGET,
			require.resolve('typescript/bin/tsc'),
			'--project',
			'tsconfig.build.json',
		]);
	} catch (error) {
		throw new Error(error.stdout || error.message);
	}
}

/**
 * Fills `dist` with the same files, without looking for type errors, in a third of the time: for `npm test`. Types are for
 * `npm run lint`, and for the build that is packed. With `isolatedModules`, no file needs the types of another one.
 */
async function transpile() {
	// Not at the top: a build runs it in a process of its own.
	const ts = require('typescript');
	const host = ts.createCompilerHost({});
	const { config } = ts.readConfigFile('tsconfig.build.json', ts.sys.readFile);
	const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, __dirname);
	for (const fileName of fileNames) {
		const { outputText, diagnostics } = ts.transpileModule(ts.sys.readFile(fileName), {
			fileName,
			compilerOptions: options,
			reportDiagnostics: true,
		});
		if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, host));
		const target = join(options.outDir, relative(options.rootDir, fileName)).replace(/ts$/, 'js');
		await mkdir(dirname(target), { recursive: true });
		await writeFile(target, outputText);
	}
}

/** Copies the files that TypeScript does not: icons, codex files and previews of outputs. */
function assets() {
	return src(['nodes/**/*.{svg,png,json}', 'credentials/**/*.{svg,png}'], {
		base: '.',
		encoding: false,
	}).pipe(dest('dist'));
}

exports.clean = clean;
exports.build = series(clean, parallel(compile, assets));
exports.transpile = series(clean, parallel(transpile, assets));
exports.default = exports.build;
