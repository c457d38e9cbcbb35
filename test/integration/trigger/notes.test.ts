import { World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await world.end();
});

/** An active workflow, and what its node writes into n8n's log from now on. */
async function active(events = ['emailsReplied']) {
	const host = await world.trigger(events, { repairMinutes: 1 });
	await host.activate();
	const { context, clocks } = await host.startClock();
	const warn = jest.spyOn(context.logger, 'warn');
	return { host, clocks, notes: () => warn.mock.calls.map(([text]) => text) };
}

describe('A note in the log', () => {
	it('says which webhooks were not there any more at the deactivation, and none is written when all were', async () => {
		const { host, notes } = await active(['emailsReplied', 'smsReplied']);
		const [first, second] = world.service.hooks().map(({ _id }) => _id);
		await host.deactivate();
		expect(notes()).toEqual([]);
		await host.activate();
		const now = world.service.hooks().map(({ _id }) => _id);
		expect(now).not.toEqual([first, second]);
		for (const id of now) world.service.removeHook(id);
		await host.deactivate();
		expect(notes()).toEqual([
			expect.stringMatching(
				new RegExp(`^The service no longer lists the webhooks ${now.join(', ')} of "Trigger"\\..+`),
			),
		]);
	});

	it.each(['init', 'leadershipChange'] as const)(
		'says that the webhooks could not be checked at the start (%s), and until then they are watched as they were',
		async (activation) => {
			const { host, clocks, notes } = await active();
			host.reload();
			world.service.addFault({ kind: 'status', status: 503, times: 4 });
			expect(await host.call('checkExists', activation)).toBe(true);
			expect(notes()).toEqual([
				expect.stringMatching(
					/^The webhooks of "Trigger" could not be checked at the start: The service could not carry out/,
				),
			]);
			world.service.removeHook(world.service.hooks()[0]!._id);
			for (const { strike } of clocks) strike();
			await new Promise((resolve) => setTimeout(resolve, 0));
			await host.settled();
			expect(world.service.hooks()).toHaveLength(1);
		},
	);

	it('names a webhook that could not be taken back after a failed registration, and no other', async () => {
		const { host, notes } = await active();
		await host.deactivate();
		host.reload({ events: ['emailsReplied', 'smsReplied', 'warmed'], options: {} });
		world.service.addFault({ kind: 'status', status: 400, match: { method: 'POST' }, skip: 2 });
		world.service.addFault({ kind: 'status', status: 403, match: { method: 'DELETE' }, times: 1 });
		await expect(host.call('create')).rejects.toThrow('status 400');
		const [left, ...others] = world.service.hooks();
		expect(others).toEqual([]);
		expect(notes()).toEqual([
			`Webhook ${left!._id} (${left!.type}) could not be removed after an activation that failed: The service did not accept the API key. The next activation of the workflow removes it.`,
		]);
	});

	it('says why a check failed', async () => {
		const { host, clocks, notes } = await active();
		world.service.addFault({ kind: 'status', status: 401 });
		for (const { strike } of clocks) strike();
		await new Promise((resolve) => setTimeout(resolve, 0));
		await host.settled();
		expect(notes()).toEqual([
			'The webhooks of "Trigger" could not be checked: The service did not accept the API key. The next check is in a few minutes.',
		]);
	});

	it('says why a delivery could not be checked', async () => {
		const { host, notes } = await active();
		const [hook] = world.service.hooks();
		host.failCredentialReads(new Error('The database is away'));
		await fetch(hook!.targetUrl, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: '{"secret":"forged"}',
		});
		expect(notes()).toEqual([
			'A delivery to "Trigger" could not be verified: The database is away',
		]);
	});
});
