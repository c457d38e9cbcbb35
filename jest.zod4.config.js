/**
 * Runs tests of what reads data from outside with zod 4. n8n's own installation of the package gives it zod 3, but after
 * `npm install` of another package in n8n's folder of nodes, zod 4 may lie beside it: both must behave the same.
 */
const { projects, ...common } = require('./jest.config.js');

const withZod4 = (name, testMatch) => ({
	...projects.find(({ displayName }) => displayName === name),
	displayName: `${name} with zod 4`,
	globals: { zod: 'zod-4' },
	// As for coverage: the built files get n8n's zod.
	moduleNameMapper: { '^\\./built$': '<rootDir>/test/integration/support/sources.ts' },
	testMatch: testMatch.map((path) => `<rootDir>/test/${path}`),
});

module.exports = {
	...common,
	projects: [
		withZod4('unit', [
			'unit/api/{credential,hostileInput,response}.test.ts',
			'unit/parameters/*.test.ts',
			'unit/domain/{activity,triggerUrl,webhook}.test.ts',
			'unit/trigger/{conditions,parameters,samples}.test.ts',
			'unit/actions/*.test.ts',
		]),
		withZod4('integration', ['integration/api/retries.test.ts']),
	],
};
