import { createRequire } from 'node:module';
import { join, relative } from 'node:path';

import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

// As in jest.config.js.
process.env.TZ ??= 'Asia/Tokyo';

const root = join(import.meta.dirname, '..', '..');
const { resolve } = createRequire(import.meta.url);

/** When a test file last failed, as a number that grows; a file that has noticed no mutant yet is missing. */
const lastFailures = new Map();
let runs = 0;

/**
 * The first failing test ends the run of a mutant. So those come first that noticed the latest mutants, which lie near
 * this one, and otherwise the quick ones: unit tests before integration tests.
 */
class LikelyToFailFirst extends BaseSequencer {
	async sort(files) {
		runs += 1;
		const lastResult = ({ project, moduleId }) =>
			this.ctx.cache.getFileTestResults(
				`${project.name}:${relative(this.ctx.config.root, moduleId)}`,
			);
		for (const file of files) {
			if (lastResult(file)?.failed) lastFailures.set(file.moduleId, runs);
		}
		const ranked = files.map((file) => ({
			file,
			lastFailure: lastFailures.get(file.moduleId) ?? 0,
			isIntegration: Number(file.moduleId.includes('/test/integration/')),
			duration: lastResult(file)?.duration ?? 0,
		}));
		return ranked
			.toSorted(
				(a, b) =>
					b.lastFailure - a.lastFailure ||
					a.isIntegration - b.isIntegration ||
					a.duration - b.duration,
			)
			.map(({ file }) => file);
	}
}

/**
 * The unit and integration tests for mutation testing. They run on the sources instead of the built package, and load
 * n8n-core only once. Jest would load it for every test file and mutant, which would take days.
 */
export default defineConfig({
	root,
	resolve: {
		alias: [
			{ find: /^\.\/built$/, replacement: join(root, 'test/integration/support/sources.ts') },
			// The nodes must use the same instance of n8n-workflow as n8n-core: otherwise `instanceof` fails for errors.
			{ find: /^n8n-workflow$/, replacement: resolve('n8n-workflow') },
			// Its package.json names sources for `import` that it does not contain.
			{ find: /^@n8n\/backend-network$/, replacement: resolve('@n8n/backend-network') },
		],
	},
	test: {
		globals: true,
		include: ['test/unit/**/*.test.ts', 'test/integration/**/*.test.ts'],
		exclude: [
			// Needs real time and garbage collection in its own thread; test/unit/runtime/deduplicator covers the same code.
			'test/integration/trigger/duplicates.test.ts',
			// Reads the sources, which are full of mutants here.
			'test/unit/limits.test.ts',
			// Runs the build, which has no mutants.
			'test/integration/loading.test.ts',
		],
		setupFiles: ['tools/host/n8nCoreSettings.ts', 'tools/mutation/setup.mjs'],
		pool: 'threads',
		isolate: false,
		poolOptions: { threads: { isolate: false } },
		sequence: { sequencer: LikelyToFailFirst },
		testTimeout: 30_000,
	},
});
