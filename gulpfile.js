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

/** Copies the files that TypeScript does not: icons, codex files and previews of outputs. */
function assets() {
	return src(['nodes/**/*.{svg,png,json}', 'credentials/**/*.{svg,png}'], {
		base: '.',
		encoding: false,
	}).pipe(dest('dist'));
}

exports.clean = clean;
exports.build = series(clean, parallel(compile, assets));
exports.default = exports.build;
