import { z } from 'zod';
import { N8N_NAMES } from '../../tools/host';

/** The pinned n8n that the tests run on: `N8N_UNDER_TEST=n8n-1` takes the older line, `n8n-newest` the newest. */
export const N8N_UNDER_TEST = z.enum(N8N_NAMES).default('n8n-2').parse(process.env.N8N_UNDER_TEST);

/** n8n 2 has two ways to register webhooks; this setting of its own, set to `false`, takes the older one. */
const PUBLICATION_SERVICE = 'N8N_USE_WORKFLOW_PUBLICATION_SERVICE';

/** What makes an n8n register webhooks in the older way; n8n 1 knows no other. */
export const OLDER_REGISTRATION = { [PUBLICATION_SERVICE]: 'false' };

/** The settings of n8n's that the tests hand on to it from outside. */
export const SETTINGS_UNDER_TEST: Record<string, string> =
	process.env[PUBLICATION_SERVICE] === 'false' ? OLDER_REGISTRATION : {};

/** What the n8n under test can do, where that decides whether or how something can be tested. */
export const CAN = {
	/** Its Data Table node makes tables. */
	makeTables: N8N_UNDER_TEST !== 'n8n-1',
	/** It answers a delivery only once it has stored the execution. */
	storeBeforeAnswer: N8N_UNDER_TEST !== 'n8n-1',
};

/** A test that needs something of n8n; where n8n cannot do that, jest lists it as skipped, with the reason. */
export function testWhere(can: boolean, reason: string) {
	return (name: string, run: () => Promise<void>): void => {
		if (can) test(name, run);
		else test.skip(`${name} (not on ${N8N_UNDER_TEST}: ${reason})`, run);
	};
}
