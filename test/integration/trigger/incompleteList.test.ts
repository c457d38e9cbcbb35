/**
 * A list that does not show all webhooks: paged, cached or late (D112); and webhooks that somebody replaces (D112). The
 * world is a local service and one trigger in one process of n8n.
 */
import { textLike } from '../support/matchers';
import { passTime } from '../support/passTime';
import type { TriggerHost } from '../support/trigger';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const TWO = ['emailsReplied', 'smsReplied'];

const messages = ({ failedExecutions }: TriggerHost): string[] =>
	failedExecutions.map(({ message }) => message);

async function activeTrigger(events = TWO) {
	const host = await world.activeTrigger(events, { repairMinutes: 1 });
	const { check } = await host.startTrigger();
	const minutes = async (count: number) => {
		for (let minute = 0; minute < count; minute++) {
			await passTime(60_000);
			await check();
		}
	};
	return { host, check, minutes };
}

describe('A list that shows the first page only', () => {
	it('costs one more webhook for each that it does not show, one report, and then nothing', async () => {
		for (let others = 0; others < 5; others++) world.addWebhook();
		world.service.setSwitches({ listPageSize: 5 });
		const { host, minutes } = await activeTrigger();
		await minutes(5);
		expect(world.webhooks).toHaveLength(7);
		const before = world.webhookIds;
		const requests = world.requests().length;
		await minutes(3);
		expect(world.webhookIds).toEqual(before);
		expect(world.requests(requests)).toEqual(['GET /hooks', 'GET /hooks', 'GET /hooks']);
		expect(messages(host)).toEqual([
			'The service does not list all webhooks of "Trigger": Email: Reply Received, SMS: Reply Received',
		]);
		for (const type of TWO) await world.service.emit({ type });
		expect(host.started).toHaveLength(2);
	});

	/** A trigger whose webhooks the list does not show, and whose checks have found that out. */
	async function hidden(): Promise<TriggerHost> {
		for (let others = 0; others < 5; others++) world.addWebhook();
		world.service.setSwitches({ listPageSize: 5 });
		const { host, minutes } = await activeTrigger();
		await minutes(3);
		// A change of the workflow saves what the checks have found.
		await host.publish({ ...host.node.parameters, events: TWO });
		return host;
	}

	it('leaves what it does not show behind if n8n is killed between delete and create, and each event runs once', async () => {
		const host = await hidden();
		const before = world.webhookIds;
		await host.call('delete', 'update');
		host.moveToNewProcess();
		await host.activate('update');
		await (await host.startTrigger('update')).check();
		// Nothing tells whether the removal had begun.
		expect(world.webhookIds).toEqual(expect.arrayContaining(before));
		expect(world.webhooks).toHaveLength(before.length + TWO.length);
		for (const type of TWO) await world.service.emit({ type });
		expect(host.started).toHaveLength(2);
	});

	it('costs nothing more after a restart of n8n', async () => {
		const host = await hidden();
		const before = world.webhookIds;
		host.moveToNewProcess();
		await host.activate('init');
		await (await host.startTrigger('init')).check();
		expect(world.webhookIds).toEqual(before);
	});
});

it.each([5_000, 30_000, 150_000])(
	'A list that is %d ms old leaves one webhook for each event, and reports no loss',
	async (listDelayMs) => {
		world.service.setSwitches({ listDelayMs });
		const { host, minutes } = await activeTrigger();
		await minutes(8);
		expect(world.webhookTypes.sort()).toEqual([...TWO].sort());
		expect(messages(host).filter((one) => /created again/.test(one))).toEqual([]);
		const requests = world.requests().length;
		await minutes(2);
		expect(world.requests(requests)).toEqual(['GET /hooks', 'GET /hooks']);
		for (const type of TWO) await world.service.emit({ type });
		expect(host.started).toHaveLength(2);
	},
	120_000,
);

it('A webhook that a late list has hidden, and that vanishes just before a restart, is reported as not listed, until somebody publishes the workflow anew', async () => {
	world.service.setSwitches({ listDelayMs: 5_000 });
	const { host } = await activeTrigger(['smsReplied']);
	// The list does not show the webhook yet, so another one replaces it, and n8n saves that.
	await host.publish();
	const running = await host.startTrigger('update');
	await passTime(60_000);
	await running.check();
	await running.close();
	world.service.removeHook(world.webhookIds[0]!);
	await passTime(5_000);
	host.moveToNewProcess();
	await host.activate('init');
	const restarted = await host.startTrigger('init');
	for (let count = 0; count < 2; count++) {
		await passTime(60_000);
		await restarted.check();
	}
	expect(messages(host)).toEqual([
		'The service does not list all webhooks of "Trigger": SMS: Reply Received',
	]);
	expect(world.webhooks).toEqual([]);
	await restarted.close();
	await host.deactivate();
	await host.activate();
	expect(world.webhookTypes).toEqual(['smsReplied']);
});

it('A list in an object is a list', async () => {
	world.service.setSwitches({ listShape: 'hooks' });
	const { host, check } = await activeTrigger();
	const before = world.webhookIds;
	await check();
	expect(world.webhookIds).toEqual(before);
	await host.deactivate();
	expect(world.webhooks).toEqual([]);
});

it('A webhook that no list has shown and that is gone is created again, and its events are reported as lost', async () => {
	const { host, check } = await activeTrigger();
	world.service.removeHook(world.webhookIds[1]!);
	await check();
	expect(world.webhookTypes.sort()).toEqual([...TWO].sort());
	expect(messages(host)).toEqual([textLike(/ha(s|ve) been created again: SMS: Reply Received$/)]);
});

it('A webhook in whose place somebody registers another one without the secret is lost, and reported', async () => {
	const { host, check } = await activeTrigger();
	await check();
	const { _id, targetUrl, type } = world.webhooks[0]!;
	world.service.removeHook(_id);
	const other = world.addWebhook({ targetUrl, type });
	await check();
	expect(world.webhookIds).not.toContain(other._id);
	expect(world.webhookTypes.sort()).toEqual([...TWO].sort());
	expect(messages(host)).toEqual([textLike(/ha(s|ve) been created again: Email: Reply Received$/)]);
});

describe.each(['replace', 'update'] as const)(
	'A service that does %s the webhook of the same URL',
	(hookUrls) => {
		it('ends with one webhook for each event that verifies its deliveries, whatever happens', async () => {
			world.service.setSwitches({ hookUrls });
			const { host, check } = await activeTrigger();
			world.useKey(host, 'another key of the team');
			await check();
			await check();
			await host.publish({ events: [...TWO, 'networkReplied'], options: { repairMinutes: 1 } });
			const { check: checkAgain } = await host.startTrigger('update');
			world.service.disableHook(world.webhookIds[0]!);
			await checkAgain();
			await checkAgain();
			expect(world.webhookTypes.sort()).toEqual([...TWO, 'networkReplied'].sort());
			for (const type of [...TWO, 'networkReplied']) await world.service.emit({ type });
			expect(host.started).toHaveLength(3);
			await host.deactivate();
			expect(world.webhooks).toEqual([]);
		});
	},
);
