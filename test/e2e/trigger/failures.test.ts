/**
 * Activations and deactivations that the service refuses: what stays behind, and what n8n tells. The world is a real
 * n8n with the package and a local service.
 */
import { logFromNow, type N8nWorkflow } from '../../../tools/host';
import { DEFAULT_SWITCHES, type Fault } from '../../../tools/service';
import { useOutreachHost, useServiceCredential } from '../outreachHost';
import { triggerWorkflow, waitForHookCount } from '../../../tools/host/workflows';
import { activate, deactivate } from '../../../tools/host/publishing';
import { changeTrigger } from '../changeTrigger';
import { deliverEach, FIVE_EVENTS, runsOf, typesAt } from './deliveriesAndRuns';

const host = useOutreachHost();
const credential = useServiceCredential(host);
const ALL_FIVE = [...FIVE_EVENTS].sort();

let workflow: N8nWorkflow;

beforeEach(async () => {
	const draft = triggerWorkflow(credential(), { events: [...FIVE_EVENTS] });
	workflow = await host().server.client.createWorkflow(draft);
});

/** After any failure, an activation and a deactivation must succeed once the service works again. */
afterEach(async () => {
	host().service.clearFaults();
	host().service.setSwitches(DEFAULT_SWITCHES);
	expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
	expect(typesAt(host())).toEqual(ALL_FIVE);
	expect(await deactivate(host(), workflow.id)).toMatchObject({ status: 'not_published' });
	expect(host().service.hooks()).toEqual([]);
	await host().server.client.deleteWorkflow(workflow.id);
});

const POST = { match: { method: 'POST', path: '/hooks' } } as const;
const DELETE = { match: { method: 'DELETE' } } as const;

describe('An activation', () => {
	test('that cannot create the third of five webhooks leaves none behind, and reports the error to the editor', async () => {
		host().service.setSwitches({ maxHooks: 2 });
		const { status, errors } = await activate(host(), workflow.id);
		expect(status).toBe('failed');
		expect(errors).toEqual([expect.stringContaining('with status 400: "')]);
		await waitForHookCount(host(), 0);
	});

	test('that fails once on the third of five webhooks succeeds on a retry, without extra webhooks', async () => {
		host().service.addFault({ ...POST, kind: 'status', status: 400, skip: 2 });
		// n8n 2 retries by itself; with the older registration, the user must retry.
		const { hasPublicationService } = await host().server.client.settings();
		if (!hasPublicationService) {
			expect(await activate(host(), workflow.id)).toMatchObject({ status: 'failed' });
			await waitForHookCount(host(), 0);
		}
		expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
		expect(typesAt(host())).toEqual(ALL_FIVE);
		await runsOf(host(), workflow.id, (await deliverEach(host(), FIVE_EVENTS)).length);
	});
});

describe('An activation that can be repeated when the service works again', () => {
	const ALL_FAIL: Fault = { kind: 'status', status: 401, times: 1000 };

	test.each<[string, Fault[]]>([
		['whose first request fails', [ALL_FAIL]],
		[
			'that creates no webhook, and cannot ask for its webhooks afterwards',
			[{ ...ALL_FAIL, skip: 1 }],
		],
		[
			'that creates two webhooks, and can remove neither',
			[
				{ ...POST, kind: 'status', status: 400, skip: 2, times: 1000 },
				{ ...DELETE, kind: 'status', status: 403, times: 1000 },
			],
		],
	])('is one %s', async (_name, faults) => {
		for (const fault of faults) host().service.addFault(fault);
		expect(await activate(host(), workflow.id)).toMatchObject({ status: 'failed' });
	});

	test('or the change of an active trigger, which keeps the workflow active meanwhile', async () => {
		await activate(host(), workflow.id);
		host().service.addFault(ALL_FAIL);
		const change = { parameters: { events: ['smsSent'] } };
		expect(await changeTrigger(host(), workflow, change)).toMatchObject({ status: 'published' });
		expect(typesAt(host())).toEqual(ALL_FIVE);
		host().service.clearFaults();
		await changeTrigger(host(), workflow, { parameters: { events: ['smsFailed'] } });
		expect(typesAt(host())).toEqual(['smsFailed']);
		await changeTrigger(host(), workflow, { parameters: { events: [...FIVE_EVENTS] } });
	});
});

describe('A deactivation', () => {
	beforeEach(async () => {
		expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
	});

	test('that the service keeps rejecting is logged, and the next activation succeeds', async () => {
		host().service.addFault({ ...DELETE, kind: 'status', status: 403, times: 1000 });
		const log = await logFromNow(host());
		await deactivate(host(), workflow.id);
		expect(typesAt(host())).toEqual(ALL_FIVE);
		expect(await log()).toContain('could not be removed after the workflow was deactivated');
		// The workflow is inactive, even though its webhooks remain at the service.
		const entries = await host().service.emit({ type: 'paused' });
		expect(entries.map(({ status }) => status)).toEqual([404]);
	});
});
