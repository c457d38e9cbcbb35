// Not UTC, so that tests notice a UTC time that is read as local time.
process.env.TZ ??= 'Asia/Tokyo';

/**
 * The workers inherit these from this process. V8's defaults suit a program that runs for long, on cores of its own. V8
 * reads them only at its start, and jest has no option for them.
 */
process.execArgv.push(
	// In MB. With the defaults, V8 looks at most objects of a test twice before the test drops them, and at the packages
	// several times while they load.
	'--max-semi-space-size=256',
	'--min-semi-space-size=256',
	'--initial-old-space-size=1000',
	// Both workers have a core to do: threads that collect garbage beside them only share it out.
	'--single-threaded-gc',
	// How much of a function runs before V8 optimizes it. Few functions of a test run often enough to repay this.
	'--interrupt-budget=1000000',
);

/**
 * `test/runner` shares the loaded packages among the test files of a worker. What else was looked at:
 * - Jest without it: 22 files of unit and integration tests took about twice as long.
 * - jest-light-runner shares them, too, but has no `jest.mock()`, no options of fake timers, no `moduleNameMapper` (which
 *   the coverage and the run with zod 4 need), and does not strip types.
 * - @swc/jest would replace only `transpile.js`, with two packages; jest caches what either returns.
 */
const common = {
	testEnvironment: '<rootDir>/test/runner/environment.js',
	runtime: '<rootDir>/test/runner/runtime.js',
	transform: { '^.+\\.ts$': '<rootDir>/test/runner/transpile.js' },
	setupFiles: ['<rootDir>/tools/host/n8nCoreSettings.ts'],
	setupFilesAfterEnv: ['<rootDir>/test/propertyRuns.ts'],
	// These folders contain package.json files that Jest must not index.
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/coverage/', '<rootDir>/.demo/'],
};

/** Tests in which the nodes and the local service wait for rate limits and retries run on the clock of test/clock.ts. */
const onFastClock = {
	...common,
	setupFiles: [...common.setupFiles, '<rootDir>/test/runner/loadPackages.js'],
	setupFilesAfterEnv: [...common.setupFilesAfterEnv, '<rootDir>/test/clock.ts'],
};

/**
 * Tests of what reads data from outside run with zod 4, too. n8n's own installation of the package gives it zod 3, but
 * after `npm install` of another package in n8n's folder of nodes, zod 4 may lie beside it: both must behave the same.
 */
const withZod4 = {
	displayName: 'zod4',
	globals: { zod: 'zod-4' },
	// The built files get n8n's zod.
	moduleNameMapper: { '^\\./built$': '<rootDir>/test/integration/support/sources.ts' },
};

module.exports = {
	projects: [
		{ ...common, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
		{
			...onFastClock,
			displayName: 'integration',
			testMatch: ['<rootDir>/test/integration/**/*.test.ts'],
		},
		{
			...common,
			...withZod4,
			testMatch: [
				'<rootDir>/test/unit/api/{credential,hostileInput,response}.test.ts',
				'<rootDir>/test/unit/parameters/*.test.ts',
				'<rootDir>/test/unit/domain/{activity,triggerUrl,webhook}.test.ts',
				'<rootDir>/test/unit/trigger/{conditions,parameters,samples}.test.ts',
				'<rootDir>/test/unit/actions/*.test.ts',
			],
		},
		{
			...onFastClock,
			...withZod4,
			testMatch: ['<rootDir>/test/integration/api/retries.test.ts'],
		},
		{ ...onFastClock, displayName: 'service', testMatch: ['<rootDir>/test/service/**/*.test.ts'] },
		{ ...common, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.test.ts'] },
	],
	// Each worker loads n8n's packages, which takes seconds of processor time; on two cores, more workers save no real time.
	maxWorkers: 2,
	collectCoverageFrom: ['nodes/**/*.ts', 'credentials/**/*.ts'],
};
