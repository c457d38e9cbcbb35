const { execFile } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { promisify } = require('node:util');
const { dest, parallel, series, src } = require('gulp');

const run = promisify(execFile);

/** A file that was renamed or removed must not live on in the package. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** Checks the types and compiles in one go: TypeScript emits nothing when a type is wrong. */
async function compile() {
	try {
		await run(process.execPath, [
			require.resolve('typescript/bin/tsc'),
			'--project',
			'tsconfig.build.json',
			'--noEmitOnError',
		]);
	} catch (error) {
		throw new Error(error.stdout || error.message);
	}
}

/** What TypeScript leaves behind: icons and codex files. */
function assets() {
	return src(['nodes/**/*.{svg,png,json}', 'credentials/**/*.{svg,png}'], {
		base: '.',
		encoding: false,
	}).pipe(dest('dist'));
}

exports.clean = clean;
exports.build = series(clean, parallel(compile, assets));
exports.default = exports.build;
