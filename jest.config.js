// East of Greenwich: a time that is taken for local although it is UTC shows there, and not on a server in UTC.
process.env.TZ ??= 'Asia/Tokyo';

/** The n8n tests and the performance figures have commands of their own, so that `npm test` stays short. */
const common = {
	testEnvironment: '<rootDir>/test/runner/environment.js',
	runtime: '<rootDir>/test/runner/runtime.js',
	transform: {
		'^.+\\.ts$': [
			'@swc/jest',
			{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
		],
	},
	setupFiles: ['<rootDir>/tools/host/n8nCoreSettings.ts'],
	// n8n's user folders and the built package hold package.json files that jest must not index.
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/coverage/'],
};

/** What the nodes and the local service wait for, they wait for on a fast clock. */
const onFastClock = {
	...common,
	setupFiles: [...common.setupFiles, '<rootDir>/test/runner/loadPackages.js'],
	setupFilesAfterEnv: ['<rootDir>/test/fastClock.ts'],
};

module.exports = {
	projects: [
		{ ...common, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
		{
			...onFastClock,
			displayName: 'integration',
			testMatch: ['<rootDir>/test/integration/**/*.test.ts'],
		},
		{ ...onFastClock, displayName: 'service', testMatch: ['<rootDir>/test/service/**/*.test.ts'] },
		{ ...common, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.test.ts'] },
	],
	// Every core: jest leaves one of them to itself, which on two cores is half.
	maxWorkers: '100%',
	collectCoverageFrom: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	testTimeout: 30_000,
};
