import { z } from 'zod';
import { startOutreachHost, type OutreachHost, type OutreachHostOptions } from '../host';

export type { OutreachHost, OutreachHostOptions };

/** The pinned n8n that the tests run on: `N8N_UNDER_TEST=n8n-1` takes the older line. */
const N8N_UNDER_TEST = z
	.enum(['n8n-1', 'n8n-2'])
	.default('n8n-2')
	.parse(process.env.N8N_UNDER_TEST);

/** Milliseconds that setting up may take, with n8n not installed yet. */
const SETUP_TIMEOUT_MS = 15 * 60_000;

/** Milliseconds that a test may take; most need a few seconds. */
export const TEST_TIMEOUT_MS = 120_000;

/**
 * One host for all tests of a file: begun before the first, ended after the last.
 *
 * @returns what gives it to a test
 */
export function useOutreachHost(options?: OutreachHostOptions): () => OutreachHost {
	let host: OutreachHost | undefined;
	beforeAll(async () => {
		host = await startOutreachHost({ n8n: N8N_UNDER_TEST, ...options });
	}, SETUP_TIMEOUT_MS);
	afterAll(() => host?.dispose());
	return () => {
		if (host === undefined) throw new Error('The host is there once the tests have begun');
		return host;
	};
}
