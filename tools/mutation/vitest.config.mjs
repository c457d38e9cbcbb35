import { createRequire } from 'node:module';
import { join } from 'node:path';

import { Tinypool } from 'tinypool';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

const root = join(import.meta.dirname, '..', '..');
const { resolve } = createRequire(import.meta.url);

/** Unit tests before those that talk to the service: the first test that fails ends the run of a mutant. */
class QuickFirst extends BaseSequencer {
	async sort(files) {
		return files.toSorted((a, b) => Number(isIntegration(a)) - Number(isIntegration(b)));
	}
}

const isIntegration = ({ moduleId }) => moduleId.includes('/test/integration/');

// Vitest ends its thread after each run, in case the next one needs another environment. There is but one here, and a
// new thread would load n8n-core again: several seconds for each mutant.
Tinypool.prototype.recycleWorkers = async () => undefined;

/**
 * The unit and integration tests for a mutation run: on the sources instead of the built package, and with n8n-core
 * loaded once and not once for each test file. Jest does that for every mutant anew; it would take days.
 */
export default defineConfig({
	root,
	resolve: {
		alias: [
			{ find: /^\.\/built$/, replacement: join(root, 'test/integration/support/sources.ts') },
			// The nodes have to get the very n8n-workflow that n8n-core requires: an error of the other one is not theirs.
			{ find: /^n8n-workflow$/, replacement: resolve('n8n-workflow') },
		],
	},
	test: {
		globals: true,
		include: ['test/unit/**/*.test.ts', 'test/integration/**/*.test.ts'],
		setupFiles: ['tools/host/n8nCoreSettings.ts', 'tools/mutation/setup.mjs'],
		pool: 'threads',
		isolate: false,
		poolOptions: { threads: { isolate: false } },
		sequence: { sequencer: QuickFirst },
		testTimeout: 30_000,
	},
});
