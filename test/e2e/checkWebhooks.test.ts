/**
 * What Check Many and Send Test Event say of the webhooks of a real n8n. The world is a real n8n with the package and a
 * local service.
 */
import { deactivate } from '../../tools/host/publishing';
import { itemsOf, waitFor } from '../../tools/host';
import {
	ACTION_NAME,
	activateNewWorkflow,
	TRIGGER_NAME,
	triggerWorkflow,
	waitForHookCount,
} from '../../tools/host/workflows';
import { runAction, useOutreachHost, useServiceCredential } from './outreachHost';

const host = useOutreachHost();
const credential = useServiceCredential(host);

async function run(operation: string, parameters: Record<string, unknown> = {}) {
	const given = { resource: 'webhook', operation, ...parameters };
	const execution = await runAction(host(), credential(), given);
	expect(execution.status).toBe('success');
	return itemsOf(execution, ACTION_NAME);
}

const check = async () => await run('check');
const GONE =
	'n8n has no webhook there: its workflow is not active, was deleted or has another path now, or the test run is over.';
const draft = () => triggerWorkflow(credential(), { events: ['emailsReplied'] });

test('a webhook is live while its workflow is active and gone afterwards, and the check starts no execution', async () => {
	const { client } = host().server;
	const { id } = await activateNewWorkflow(host(), draft(), 1);
	const { targetUrl } = host().service.hooks()[0]!;
	const live = {
		target: 'live',
		targetDetail: 'n8n has a webhook there.',
		usedBy: expect.stringMatching(/ · Outreach Service Trigger$/) as string,
	};
	expect(await check()).toMatchObject([live]);
	const slash = targetUrl.replace('/webhook?', '/webhook/?');
	const { _id } = host().service.addHook({ targetUrl: slash });
	expect(await check()).toMatchObject([live, { target: 'unknown' }]);
	host().service.removeHook(_id);

	await deactivate(host(), id);
	await waitForHookCount(host(), 0);
	const left = host().service.addHook({ targetUrl });
	const items = await waitFor('the path to be gone', check, ([item]) => item?.target === 'gone');
	expect(items).toMatchObject([{ targetDetail: GONE, usedBy: 'this n8n' }]);
	host().service.removeHook(left._id);
	// The checks have started no execution.
	expect(await client.executions.list({ workflowId: id })).toEqual([]);
});

test('a test URL is live while the editor listens, and gone afterwards', async () => {
	const { client } = host().server;
	const { id } = await client.createWorkflow(draft());
	await client.runWorkflow(id, TRIGGER_NAME);
	await waitForHookCount(host(), 1);
	const { targetUrl } = host().service.hooks()[0]!;
	expect(await check()).toMatchObject([
		{
			target: 'live',
			targetDetail: 'n8n has a webhook there.',
			usedBy: expect.stringContaining(TRIGGER_NAME) as string,
		},
	]);
	await client.stopListening(id);
	await waitForHookCount(host(), 0);
	const { _id } = host().service.addHook({ targetUrl });
	expect(await check()).toMatchObject([
		{
			target: 'gone',
			targetDetail: GONE,
			usedBy: 'this n8n',
		},
	]);
	host().service.removeHook(_id);
});

test('a test event runs the workflow of an active trigger', async () => {
	const { client } = host().server;
	const { id } = await activateNewWorkflow(host(), draft(), 1);
	const { _id } = host().service.hooks()[0]!;
	const webhookId = { __rl: true, mode: 'id', value: _id };
	const [item] = await run('sendTest', { webhookId });
	expect(item).toMatchObject({ status: 200, activity: { type: 'emailsReplied' } });
	expect(item).not.toHaveProperty('note');
	const [execution] = await client.executions.waitForFinished(id, 1);
	expect(itemsOf(execution!, TRIGGER_NAME)).toEqual([item?.activity]);
	await deactivate(host(), id);
	await waitForHookCount(host(), 0);
});
