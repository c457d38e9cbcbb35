import { useWorld } from '../support/world';

const world = useWorld();

/** An active workflow, and the warnings that its node writes into n8n's log from now on. */
async function activeTrigger(events = ['emailsReplied']) {
	const host = await world.activeTrigger(events, { repairMinutes: 1 });
	const { check } = await host.startTrigger();
	const warn = world.spyOnWarnings();
	return { host, check, warnings: () => warn.mock.calls.map(([text]) => text) };
}

describe('A warning in the log', () => {
	it('is not written when webhooks no longer exist at the deactivation, which removes them', async () => {
		const { host, warnings } = await activeTrigger(['emailsReplied', 'smsReplied']);
		world.service.removeHook(world.webhookIds[0]!);
		await host.deactivate();
		expect([world.webhooks, warnings()]).toEqual([[], []]);
	});

	it('does not name a webhook that the service does not list yet and that could not be removed', async () => {
		const { host, warnings } = await activeTrigger();
		world.respondOnce('GET', []);
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'DELETE' } });
		await expect(host.deactivate()).rejects.toThrow('did not accept the API key');
		expect(warnings()).toEqual([]);
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
	});

	it.each(['check', 'deactivation'])(
		'names the webhooks of an earlier team once: at the first %s that does not find them',
		async (first) => {
			const { host, check, warnings } = await activeTrigger();
			const [ofEarlierTeam] = world.webhookIds;
			world.service.addApiKey('other-key', 'team_2');
			host.credential.apiKey = 'other-key';
			if (first === 'check') await check();
			await host.deactivate();
			expect(world.webhookIds).toEqual([ofEarlierTeam]);
			expect(warnings()).toEqual([
				expect.stringContaining(
					`The service no longer lists the webhooks ${ofEarlierTeam!} of "Trigger". If the API key has since been changed to one of another team`,
				),
			]);
		},
	);
});
