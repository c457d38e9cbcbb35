/**
 * Mutation testing of the shipped code that has behavior, with the unit and integration tests (docs/mutation.md).
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	mutate: [
		'nodes/**/*.ts',
		'credentials/**/*.ts',
		// Descriptions for the editor; see also tools/mutation/ignoreDescriptions.mjs.
		'!nodes/OutreachService/trigger/description/properties.ts',
		'!nodes/OutreachService/actions/webhook/fields.ts',
		// Expressions that only the editor evaluates.
		'!nodes/OutreachService/**/subtitle.ts',
	],
	plugins: ['@stryker-mutator/vitest-runner', './tools/mutation/ignoreDescriptions.mjs'],
	ignorers: ['descriptions'],
	testRunner: 'vitest',
	vitest: { configFile: 'tools/mutation/vitest.config.mjs' },
	coverageAnalysis: 'perTest',
	ignoreStatic: true,
	concurrency: 2,
	timeoutMS: 8_000,
	ignorePatterns: ['dist', 'coverage', 'docs/images'],
	reporters: ['clear-text', 'progress-append-only', 'json'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	incremental: true,
	incrementalFile: 'coverage/mutation/incremental.json',
	jsonReporter: { fileName: 'coverage/mutation/mutation.json' },
	tempDirName: 'coverage/mutation/tmp',
	checkers: [],
	// Fails the command when more than a tenth of the mutants survive.
	thresholds: { high: 100, low: 95, break: 90 },
};
