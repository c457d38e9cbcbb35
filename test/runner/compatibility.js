/** A reporter of jest: tells the table of compatibility what the end-to-end tests have proved, once all of them ran. */
class CompatibilityReporter {
	constructor({ testPathPatterns, testNamePattern = '' }) {
		this.ranAll = testPathPatterns.patterns.length === 0 && testNamePattern === '';
	}

	async onRunComplete(contexts, { testResults }) {
		if (process.env.COMPATIBILITY === undefined || !this.ranAll) return;
		const results = testResults.filter(({ testFilePath }) => testFilePath.includes('/test/e2e/'));
		if (results.length === 0) return;
		require('tsx/cjs');
		const { provedByTests } = require('../compatibility.ts');
		try {
			await provedByTests(results);
		} catch (error) {
			process.stderr.write(`\n${error.message}\n`);
			this.error = error;
		}
	}

	/** Ends jest with a failure. */
	getLastError() {
		return this.error;
	}
}

module.exports = CompatibilityReporter;
