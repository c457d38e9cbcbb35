/**
 * Whoever listens to the local service hears of every change of its webhooks. Against a local service that the test
 * starts.
 */
import { callApi } from './testing/apiClient';
import { service } from './testing/fixture';

describe('onHooksChange', () => {
	const body = { targetUrl: 'https://receiver.example/in' };

	it('calls the listener when any client creates, disables or deletes a webhook', async () => {
		const running = await service();
		const counts: number[] = [];
		running.onHooksChange(() => counts.push(running.hooks().length));
		await callApi(running, 'POST', '/hooks', { body });
		const { _id } = running.addHook(body);
		running.disableHook(_id);
		await callApi(running, 'DELETE', `/hooks/${_id}`);
		expect(counts).toEqual([1, 2, 2, 1]);
	});
});
