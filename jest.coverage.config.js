const { projects, ...others } = require('./jest.config.js');

/**
 * Coverage of the shipped code. The integration tests normally run the built package. Here they run its sources,
 * because coverage is reported for source lines; the build only strips the types.
 */
module.exports = {
	...others,
	projects: projects
		.filter(({ displayName }) => ['unit', 'integration'].includes(displayName))
		.map((project) => ({
			...project,
			moduleNameMapper: { '^\\./built$': '<rootDir>/test/integration/support/sources.ts' },
		})),
	collectCoverage: true,
	coverageReporters: ['text', 'html'],
};
