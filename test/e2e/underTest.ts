import { z } from 'zod';
import { N8N_NAMES } from '../../tools/host';

/** The pinned n8n to test: `n8n-2`, unless `N8N_UNDER_TEST` has another one of `N8N_NAMES`. */
export const N8N_UNDER_TEST = z.enum(N8N_NAMES).default('n8n-2').parse(process.env.N8N_UNDER_TEST);

/** n8n 2 has two ways to register webhooks; setting this environment variable to `false` selects the older one. */
const PUBLICATION_SERVICE = 'N8N_USE_WORKFLOW_PUBLICATION_SERVICE';

/** n8n settings from the environment that the tests pass on. */
export const SETTINGS_UNDER_TEST: Record<string, string> =
	process.env[PUBLICATION_SERVICE] === 'false' ? { [PUBLICATION_SERVICE]: 'false' } : {};

/** Capabilities of the n8n under test that some tests depend on. */
export const CAN = {
	/** Its Data Table node can create tables. */
	createTables: N8N_UNDER_TEST !== 'n8n-1',
	/** It has engine 2.0, a module that is off by default. */
	runEngine2: N8N_UNDER_TEST !== 'n8n-1',
	/** It reports what would break on n8n 3. */
	reportMigration: N8N_UNDER_TEST !== 'n8n-1',
	/** It lists executions of engine 2.0 among the others: since 2.41. */
	listEngine2: N8N_UNDER_TEST === 'n8n-newest',
	/** It responds to a delivery only once it has stored the execution. */
	storeBeforeResponse: N8N_UNDER_TEST !== 'n8n-1',
};

/** A test that needs a capability of n8n. Without it, Jest lists the test as skipped, with the reason. */
export function testWhere(can: boolean, reason: string) {
	return (name: string, run: () => Promise<void>): void => {
		if (can) test(name, run);
		else test.skip(`${name} (not on ${N8N_UNDER_TEST}: ${reason})`, run);
	};
}
