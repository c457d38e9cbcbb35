const { execFile } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { Transform } = require('node:stream');
const { promisify } = require('node:util');
const { transformAsync } = require('@babel/core');
const { dest, parallel, series, src } = require('gulp');

const run = promisify(execFile);

/** Renamed or removed files must not stay in the package. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** Nothing is built from sources with a type error. */
async function types() {
	try {
		await run(process.execPath, [
			require.resolve('typescript/bin/tsc'),
			'--project',
			'tsconfig.build.json',
		]);
	} catch (error) {
		throw new Error(error.stdout || error.message);
	}
}

/**
 * Strips the types, and makes each import load its module when something of it is first used: when n8n starts, it loads
 * what describes the nodes, and not what runs them. TypeScript itself cannot do that.
 */
const BABEL = {
	configFile: false,
	presets: [['@babel/preset-typescript', { onlyRemoveTypeImports: false }]],
	plugins: [['@babel/plugin-transform-modules-commonjs', { lazy: () => true }]],
};

function compile() {
	const compileFile = new Transform({
		objectMode: true,
		transform(file, _encoding, done) {
			transformAsync(file.contents.toString(), { ...BABEL, filename: file.path }).then(
				({ code }) => {
					file.contents = Buffer.from(code);
					file.extname = '.js';
					done(null, file);
				},
				done,
			);
		},
	});
	return src(['nodes/**/*.ts', 'credentials/**/*.ts'], { base: '.' })
		.pipe(compileFile)
		.pipe(dest('dist'));
}

/** Copies the files that TypeScript does not: icons, codex files and previews of outputs. */
function assets() {
	return src(['nodes/**/*.{svg,png,json}', 'credentials/**/*.{svg,png}'], {
		base: '.',
		encoding: false,
	}).pipe(dest('dist'));
}

exports.clean = clean;
exports.build = series(types, clean, parallel(compile, assets));
exports.default = exports.build;
