const { isBuiltin } = require('node:module');
const { isAbsolute, join } = require('node:path');
const { default: Runtime } = require('jest-runtime');

/** The folder of the built package. */
const BUILT = join(__dirname, '..', '..', 'dist');

/** Loads the packages for all test files of this jest worker. */
let packages;

/**
 * What was compiled for the test files so far, by file name, with the source: that of coverage is another one.
 * @type {Map<string, { source: string, run: Function }>}
 */
const compiled = new Map();

/**
 * Loads what is in node_modules and the built package once for each worker, as n8n does once for each process, and the
 * tests and the sources anew for each test file. Jest loads everything anew, and n8n-core alone takes longer than the
 * tests of most files: without this file and ./environment.js, which belong together, `npm test` takes more than twice the
 * processor time. To measure it, remove `runtime` and `testEnvironment` from jest.config.js.
 */
class SharedRuntime extends Runtime {
	constructor(...args) {
		super(...args);
		packages ??= new Runtime(...args);
		this.executor.compile = compileOnce;
	}

	requireModule(from, moduleName, options, isRequireActual) {
		// In the run with zod 4, the sources get that, and n8n's packages keep theirs: see jest.config.js.
		if (moduleName === 'zod' && this._config.globals.zod !== undefined && isOurs(from)) {
			moduleName = this._config.globals.zod;
		}
		// Also for jest's own modules, but not for the test framework: jest loads it by its path, and it belongs to one file.
		if (isPackage(moduleName)) {
			return packages.requireModule(from, moduleName, options, isRequireActual);
		}
		return super.requireModule(from, moduleName, options, isRequireActual);
	}
}

/** Whether a file is a source of the package, and not of the tests or the local service. */
const isOurs = (file) => file.startsWith(join(__dirname, '..', '..', 'nodes'));

/**
 * Compiles a module for all test files of this jest worker: it runs anew for each of them, in the same environment. The
 * runtime of the packages compiles it, because that of a test file would stay in memory with the function.
 * @param {string} source
 * @param {string} filename
 */
function compileOnce(source, filename) {
	const known = compiled.get(filename);
	if (known?.source === source) return known.run;
	const run = packages.executor.compile(source, filename);
	compiled.set(filename, { source, run });
	return run;
}

function isPackage(moduleName) {
	if (moduleName === undefined || isBuiltin(moduleName)) return false;
	return isAbsolute(moduleName) ? moduleName.startsWith(BUILT) : !moduleName.startsWith('.');
}

module.exports = { __esModule: true, default: SharedRuntime };
