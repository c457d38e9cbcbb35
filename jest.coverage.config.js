const { projects, ...others } = require('./jest.config.js');

/**
 * Coverage of what ships. The integration tests run the built package; here they run the sources that it is built
 * from, because coverage is told by their lines. The build adds nothing but the removal of the types.
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
