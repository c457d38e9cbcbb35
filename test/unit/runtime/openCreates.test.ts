/** How long a create stays open. */
import { webhookBase } from '../../../nodes/OutreachService/domain/triggerUrl';
import { digestOf } from '../../../nodes/OutreachService/domain/secret';
import { OpenCreates, type OpenCreate } from '../../../nodes/OutreachService/runtime/openCreates';

const MINUTE_MS = 60_000;
const BASE = webhookBase('https://n8n.test/webhook/1/webhook');

const aCreate = (): OpenCreate => ({
	desired: {
		event: 'emailsReplied',
		targetUrl: BASE,
		digest: digestOf('a secret'),
		serviceId: 'a service',
	},
	listedBefore: new Set(),
	failedAttempt: undefined,
	end: new Promise(() => undefined),
	isDoneWithout: false,
});

const nodeOf = (workflowId: string) => ({
	getWorkflow: () => ({ id: workflowId }),
	getNode: () => ({ id: 'the trigger' }),
});

beforeEach(() => {
	jest.useFakeTimers();
});

afterEach(() => {
	jest.useRealTimers();
});

it('A create that nobody asks for any more is forgotten after ten minutes, when another node sends one', () => {
	const openCreates = new OpenCreates();
	openCreates.add(nodeOf('a workflow that is no longer active'), BASE, aCreate());
	jest.advanceTimersByTime(2 * MINUTE_MS);
	openCreates.add(nodeOf('another workflow'), BASE, aCreate());
	jest.advanceTimersByTime(9 * MINUTE_MS);
	openCreates.add(nodeOf('a third one'), BASE, aCreate());
	expect(openCreates.size).toBe(2);
});

it('A create that is sent once more is open for ten minutes from then on', () => {
	const openCreates = new OpenCreates();
	const create = aCreate();
	openCreates.add(nodeOf('a workflow'), BASE, create);
	jest.advanceTimersByTime(9 * MINUTE_MS);
	openCreates.add(nodeOf('a workflow'), BASE, create);
	jest.advanceTimersByTime(9 * MINUTE_MS);
	openCreates.closeExpired();
	expect(openCreates.of(nodeOf('a workflow'), BASE)).toEqual([create]);
});
