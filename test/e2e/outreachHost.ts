import { startOutreachHost, type OutreachHost, type OutreachHostOptions } from '../../tools/host';
import { N8N_UNDER_TEST, SETTINGS_UNDER_TEST } from './underTest';

export type { OutreachHost, OutreachHostOptions };

/** The maximum time for the setup in milliseconds, including the installation of n8n. */
export const SETUP_TIMEOUT_MS = 15 * 60_000;

/** The maximum time for a test in milliseconds; most take a few seconds. */
export const TEST_TIMEOUT_MS = 120_000;

/**
 * Starts one host for all tests of a file, and disposes of it after the last test.
 *
 * @param given the options, or a function that starts what n8n depends on and returns them
 * @returns a function that returns the host
 */
export function useOutreachHost(
	given: OutreachHostOptions | (() => Promise<OutreachHostOptions>) = {},
): () => OutreachHost {
	let host: OutreachHost | undefined;
	beforeAll(async () => {
		const options = typeof given === 'function' ? await given() : given;
		const env = { ...SETTINGS_UNDER_TEST, ...options.env };
		host = await startOutreachHost({ n8n: N8N_UNDER_TEST, ...options, env });
	}, SETUP_TIMEOUT_MS);
	afterAll(() => host?.dispose());
	return () => {
		if (host === undefined) throw new Error('The host is not available before the tests start');
		return host;
	};
}
