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

/** What n8n loads when it starts, because it describes the nodes. */
const DESCRIPTIONS =
	/\/(description\/.*|.*\.(node|operation)|actions\/(index|webhook\/filters)|subtitle|lifecycle\/index)\.ts$/;

/**
 * Strips the types. The imports of what describes the nodes load their modules when something of them is first used, so
 * that n8n loads what runs the nodes when they run. TypeScript itself cannot do that. What runs them is loaded as a whole:
 * the files may be those of another version by the time of a later use.
 */
const BABEL = {
	configFile: false,
	presets: [['@babel/preset-typescript', { onlyRemoveTypeImports: false }]],
	overrides: [
		{
			test: DESCRIPTIONS,
			plugins: [['@babel/plugin-transform-modules-commonjs', { lazy: () => true }]],
		},
		{ exclude: DESCRIPTIONS, plugins: ['@babel/plugin-transform-modules-commonjs'] },
	],
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
