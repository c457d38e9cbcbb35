const { execFile } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { promisify } = require('node:util');
const { dest, parallel, series, src } = require('gulp');

const run = promisify(execFile);

/** Renamed or removed files must not stay in the package. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** How much of a function runs before V8 optimizes it: with its default, this takes a fifth of the time of a build. */
const INTERRUPT_BUDGET = '--interrupt-budget=1000000';

/** Compiles into `dist`; with an error, nothing is written. @param {string[]} options of the compiler */
async function tsc(...options) {
	const compiler = require.resolve('typescript/bin/tsc');
	try {
		await run(process.execPath, [
			INTERRUPT_BUDGET,
			compiler,
			'--project',
			'tsconfig.build.json',
			...options,
		]);
	} catch (error) {
		throw new Error(error.stdout || error.message);
	}
}

const compile = async () => await tsc();

/**
 * Writes the same files without looking for type errors, which `npm run lint` finds, and the build that is packed. Nothing
 * that is written depends on the types of other packages, and to read them takes most of the time.
 */
const transpile = async () => await tsc('--noCheck', '--noResolve');

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
