import { EXAMPLE_FILES, loadExamples } from '../../tools/demo/examples';
import { createServiceCredential } from '../../tools/host/workflows';
import { TEST_TIMEOUT_MS, useOutreachHost } from './outreachHost';

jest.setTimeout(TEST_TIMEOUT_MS);

// The demo runs on n8n 2 only.
const host = useOutreachHost({ n8n: 'n8n-2' });

test('the demo loads every example, and the events that the page of the service suggests start them', async () => {
	const { service } = host();
	const credential = await createServiceCredential(host());
	const { count } = await loadExamples(host(), credential);
	expect(count).toBe(EXAMPLE_FILES.length);
	for (const type of ['emailsReplied', 'manualInterested', 'emailsBounced', 'emailsOpened']) {
		const attempts = await service.emit({ type });
		expect([type, new Set(attempts.map(({ status }) => status))]).toEqual([type, new Set([200])]);
	}
});
