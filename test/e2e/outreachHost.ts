import { startOutreachHost, type OutreachHost, type OutreachHostOptions } from '../../tools/host';
import { N8N_UNDER_TEST, SETTINGS_UNDER_TEST } from './underTest';

export type { OutreachHost, OutreachHostOptions };

/** Milliseconds that setting up may take, with n8n not installed yet. */
const SETUP_TIMEOUT_MS = 15 * 60_000;

/** Milliseconds that a test may take; most need a few seconds. */
export const TEST_TIMEOUT_MS = 120_000;

/**
 * One host for all tests of a file: begun before the first, ended after the last.
 *
 * @returns what gives it to a test
 */
export function useOutreachHost(options: OutreachHostOptions = {}): () => OutreachHost {
	let host: OutreachHost | undefined;
	beforeAll(async () => {
		const env = { ...SETTINGS_UNDER_TEST, ...options.env };
		host = await startOutreachHost({ n8n: N8N_UNDER_TEST, ...options, env });
	}, SETUP_TIMEOUT_MS);
	afterAll(() => host?.dispose());
	return () => {
		if (host === undefined) throw new Error('The host is there once the tests have begun');
		return host;
	};
}
