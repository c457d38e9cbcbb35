import full from './stryker.config.mjs';

/**
 * `npm run test:mutation -- stryker.short.config.mjs`: what decides about retries, with its unit tests alone. It shows in
 * about a minute that mutation testing works, and that these tests still notice what they noticed.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	...full,
	mutate: ['nodes/OutreachService/api/retryTiming.ts', 'nodes/OutreachService/runtime/health.ts'],
	vitest: { configFile: 'tools/mutation/vitest.short.config.mjs' },
	incremental: false,
};
