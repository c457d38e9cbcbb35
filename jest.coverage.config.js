const { projects, ...others } = require('./jest.config.js');

/**
 * Coverage of the shipped code. The integration tests normally run the built package. Here they run its sources,
 * because coverage is reported for source lines.
 */
module.exports = {
	...others,
	projects: projects
		.filter(({ displayName }) => ['unit', 'integration'].includes(displayName))
		.map((project) => ({
			...project,
			// They read the sources, or run the build in a process of its own.
			testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/unit/texts/documents'],
			moduleNameMapper: { '^\\./built$': '<rootDir>/test/integration/support/sources.ts' },
		})),
	collectCoverage: true,
	coverageReporters: ['text', 'html'],
	// Fails the command below these.
	coverageThreshold: { global: { statements: 98, branches: 94, functions: 98, lines: 99 } },
};
