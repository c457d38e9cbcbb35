/**
 * The list of webhooks in a field of the editor: what it shows, finds and says of each webhook. The world is a local
 * service and both nodes in one process of n8n.
 */
import { textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const names = async (filter?: string) =>
	(await world.searchWebhooks(filter)).results.map(({ name }) => name);

it('shows the event, target URL and campaign of each webhook, in this order, with its ID as the value', async () => {
	const webhook = world.addWebhook({ type: 'emailsReplied', campaignId: 'cam_1' });
	for (const type of ['unheardOf', 'smsReplied', 'warmed']) {
		world.addWebhook({ targetUrl: 'http://other.test/x?a=1', type });
	}
	world.addWebhook();
	const { results } = await world.searchWebhooks();
	expect(results).toEqual([
		{ name: `All Events · crm.test/in`, value: textLike(/^hoo_/) },
		{ name: `Email: Reply Received · crm.test/in · cam_1`, value: webhook._id },
		{ name: `Lead State: Warmed · other.test/x?a=1`, value: textLike(/^hoo_/) },
		{ name: `SMS: Reply Received · other.test/x?a=1`, value: textLike(/^hoo_/) },
		{ name: `unheardOf · other.test/x?a=1`, value: textLike(/^hoo_/) },
	]);
});

it('is searched by event, target URL, campaign and ID, regardless of case', async () => {
	const { _id } = world.addWebhook({ type: 'emailsReplied', campaignId: 'cam_1' });
	world.addWebhook({ targetUrl: 'https://other.test/x' });
	for (const filter of ['REPLIED', 'crm.test', 'CAM_1', _id, ' email: ']) {
		expect(await names(filter)).toEqual([expect.stringContaining('cam_1')]);
	}
	// Not even across the end of one and the beginning of the next.
	for (const filter of ['nothing like it', 'newhoo', `old${_id}`])
		expect(await names(filter)).toEqual([]);
	expect(await names('')).toHaveLength(2);
});

it('has each webhook once, also if the service lists it twice', async () => {
	const webhook = world.addWebhook();
	world.respondOnce('GET', [webhook, webhook]);
	expect(await names()).toHaveLength(1);
});

it('shortens a target URL that would hide what follows it, and still finds it by its end', async () => {
	world.addWebhook({
		targetUrl: 'https://n8n.example.com/webhook/4f1c/webhook?event=warmed&keyId=k1',
	});
	const base = 'https://n8n.example.com/webhook';
	world.addWebhook({
		targetUrl: `${base}/4f1c77aa-6cd2/webhook?event=warmed&campaign=cam_1&keyId=k1`,
	});
	const both = [
		'All Events · n8n.example.c…f1c77aa-6cd2',
		'All Events · n8n.example.c…webhook/4f1c',
	];
	expect((await names('event=warmed')).sort()).toEqual(both.sort());
});

it('shows which webhooks are of this n8n, which are found by its host too', async () => {
	world.addWebhook({ targetUrl: 'http://n8n.test/webhook/4f1c/webhook?event=warmed&keyId=k1' });
	world.addWebhook({ targetUrl: 'http://n8n.test:8080/webhook/1' });
	const own = `All Events · this n8n: webhook/4f1c`;
	expect(await names()).toEqual([own, `All Events · n8n.test:8080/webhook/1`]);
	expect(await names('http://n8n.test/')).toEqual([own]);
	expect(await names('THIS N8N')).toEqual([own]);
});

it('names workflow and node of an active trigger, which it is found by, until the workflow is deactivated', async () => {
	const host = await world.activeTrigger(['emailsReplied']);
	world.addWebhook();
	const line = 'Email: Reply Received · Test · Trigger';
	expect(await names()).toEqual(['All Events · crm.test/in', line]);
	expect(await names('test · trig')).toEqual([line]);
	const [registered] = world.webhooks;
	await host.deactivate();
	await host.settled();
	world.addWebhook({ targetUrl: registered!.targetUrl, type: 'emailsReplied' });
	expect(await names('trig')).toEqual([]);
});

it('comes in pages, which together have every webhook once, in one order', async () => {
	for (let count = 0; count < 400; count++) {
		world.addWebhook({ targetUrl: `https://crm.test/${count}`, type: 'emailsSent' });
	}
	const sizes: number[] = [];
	const found: string[] = [];
	let page: string | undefined;
	do {
		const { results, paginationToken } = await world.searchWebhooks('', { page });
		sizes.push(results.length);
		found.push(...results.map(({ value }) => String(value)));
		page = typeof paginationToken === 'string' ? paginationToken : undefined;
	} while (page !== undefined);
	expect(sizes).toEqual([200, 200]);
	expect(found.sort()).toEqual(world.webhookIds.sort());
});
