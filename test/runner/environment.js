const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

/** As Node has it. */
const STACK_TRACE_LINES = 10;

/**
 * The storages that were used since the last test file ended. Jest makes one for each file and never disables it, and on
 * Node.js 20 each one slows down every promise of all files after it.
 */
const usedStorages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
	usedStorages.add(this);
	return run.apply(this, args);
};

const { exit } = process;

/**
 * The symbols, by their descriptions, under which jest-circus keeps the tests and the listeners of the running file. It is
 * loaded anew for each file, and would call the listeners of all files before it.
 */
const OF_ONE_FILE = ['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'];

/** The environment of this jest worker. */
let shared;

/**
 * One environment for all test files of a worker, because they share packages (see ./runtime.js): both must have the
 * same `Error` and `Array`. Jest has an environment for each file.
 */
class SharedEnvironment extends TestEnvironment {
	constructor(config, context) {
		if (shared) return shared;
		super(config, context);
		shared = this;
		// Every expect() takes a stack trace. Jest has 100 lines in it, and some property tests spend half their time on them.
		this.global.Error.stackTraceLimit = STACK_TRACE_LINES;
	}

	/** Gives the next file real timers; the rest stays. */
	async teardown() {
		this.fakeTimers.dispose();
		this.fakeTimersModern.dispose();
		// Coverage is counted for each file.
		delete this.global.__coverage__;
		for (const key of Object.getOwnPropertySymbols(this.global)) {
			if (OF_ONE_FILE.includes(key.description)) delete this.global[key];
		}
		// Jest keeps what was deleted or replaced for its own teardown. With all of it, each file would leave 2.5 MB.
		this._globalProxy.leftovers = [];
		// Jest wraps it for each file.
		this.global.process.exit = exit;
		// One that a package uses is enabled again by its next `run`.
		for (const storage of usedStorages) storage.disable();
		usedStorages.clear();
	}
}

module.exports = SharedEnvironment;
