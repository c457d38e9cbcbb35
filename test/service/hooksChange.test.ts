import { callApi } from './testing/apiClient';
import { service } from './testing/fixture';

describe('onHooksChange', () => {
	const body = { targetUrl: 'https://receiver.example/in' };

	it('tells of each webhook that is created, disabled or deleted, by whomever', async () => {
		const running = await service();
		const counts: number[] = [];
		running.onHooksChange(() => counts.push(running.hooks().length));
		await callApi(running, 'POST', '/hooks', { body });
		const { _id } = running.addHook(body);
		running.disableHook(_id);
		await callApi(running, 'DELETE', `/hooks/${_id}`);
		expect(counts).toEqual([1, 2, 2, 1]);
	});

	it('tells of nothing else, and of nothing once it has been ended', async () => {
		const running = await service();
		const listener = jest.fn();
		const end = running.onHooksChange(listener);
		running.setSwitches({ maxHooks: 3 });
		running.addFault({ kind: 'cut' });
		end();
		running.addHook(body);
		expect(listener).not.toHaveBeenCalled();
	});
});
