import {
	startOutreachHost,
	type N8nCredential,
	type OutreachHost,
	type OutreachHostOptions,
} from '../../tools/host';
import { createServiceCredential } from '../../tools/host/workflows';
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
 * @param timeoutMs how long each test may take
 * @returns a function that returns the host
 */
export function useOutreachHost(
	given: OutreachHostOptions | (() => Promise<OutreachHostOptions>) = {},
	timeoutMs = TEST_TIMEOUT_MS,
): () => OutreachHost {
	jest.setTimeout(timeoutMs);
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

/**
 * Creates a credential for the local service, for all tests of a file.
 *
 * @returns a function that returns it
 */
export function useServiceCredential(host: () => OutreachHost): () => N8nCredential {
	let credential: N8nCredential | undefined;
	beforeAll(async () => {
		credential = await createServiceCredential(host());
	});
	return () => {
		if (credential === undefined) throw new Error('There is no credential before the tests start');
		return credential;
	};
}
