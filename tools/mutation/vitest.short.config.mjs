import full from './vitest.config.mjs';

/** The tests for stryker.short.config.mjs. */
export default {
	...full,
	test: {
		...full.test,
		include: ['test/unit/api/retry*.test.ts', 'test/unit/runtime/health.test.ts'],
	},
};
