import { lockDatabase, waitFor, type N8nWorkflow } from '../../../tools/host';
import { DEFAULT_SWITCHES } from '../../../tools/service';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { CAN, testWhere } from '../underTest';
import {
	activateNewWorkflow,
	createServiceCredential,
	triggerWorkflow,
} from '../../../tools/host/workflows';
import { deactivate } from '../../../tools/host/publishing';
import { post, runsOf } from './watching';

jest.setTimeout(2 * TEST_TIMEOUT_MS);

// Otherwise n8n spends most of the time on its expression engine, which no delivery here needs.
const host = useOutreachHost({ env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } });

let workflow: N8nWorkflow;

beforeEach(() => {
	host().service.setSwitches(DEFAULT_SWITCHES);
});

const testStored = testWhere(CAN.storeBeforeAnswer, 'it answers before it has stored anything');

const GENUINE = 700;
const AT_THE_SAME_TIME = 150;
const LATER = 150;
const FORGED = 100;
const MALFORMED = ['', '[]', '{', '{"_id":"act_0"', '"text"', 'null', '12', '{}', '[{}]', 'a=b'];

const activity = (index: number) => ({ type: 'emailsOpened', _id: `act_${index}` });

/** Sends bodies one after the other, as somebody who does not know the secret. */
async function sendAll(bodies: string[]): Promise<number[]> {
	const url = host().service.hooks()[0]!.targetUrl;
	const answers: number[] = [];
	for (const body of bodies) answers.push(await post(url, body));
	return answers;
}

describe('With one hook for all events', () => {
	beforeAll(async () => {
		const draft = triggerWorkflow(await createServiceCredential(host()), { events: ['*'] });
		workflow = await activateNewWorkflow(host(), draft, 1);
	});

	afterAll(async () => {
		await deactivate(host(), workflow.id);
		expect(host().service.hooks()).toEqual([]);
	});

	describe('A thousand deliveries, 300 of them doubled, with forged and malformed ones among them', () => {
		test('run once each if they are genuine, and not at all otherwise', async () => {
			const { service, server } = host();
			service.setSwitches({ deliveryTimeoutMs: 60_000 });
			const all = Array.from({ length: GENUINE }, (_, index) => activity(index));
			const again = all.filter((_, index) => index % 4 === 1).slice(0, LATER);
			const forged = Array.from({ length: FORGED }, (_, index) =>
				JSON.stringify({ ...activity(index * 10), secret: index % 2 ? 'guess' : 'f'.repeat(64) }),
			);
			const malformed = Array.from({ length: 50 }, (_, index) => MALFORMED[index % 10]!);

			const [summary, toForged, toMalformed] = await Promise.all([
				service.emitMany([...all, ...again], {
					order: 'shuffled',
					double: AT_THE_SAME_TIME / (GENUINE + LATER),
				}),
				sendAll(forged),
				sendAll(malformed),
			]);
			expect(summary).toMatchObject({ deliveries: 1000, delivered: 1000, outcomes: { 200: 1000 } });
			expect(new Set(toForged)).toEqual(new Set([401]));
			// What is no JSON is refused by n8n itself.
			expect(toMalformed.every((status) => status === 401 || status === 422)).toBe(true);

			const runs = await runsOf(host(), workflow.id, GENUINE, { timeoutMs: 60_000 });
			expect(runs.map(({ _id }) => _id).sort()).toEqual(all.map(({ _id }) => _id).sort());
			expect(await server.client.executions.list({ workflowId: workflow.id })).toHaveLength(
				GENUINE,
			);
		});
	});

	describe("A delivery while n8n's database takes no writes", () => {
		testStored(
			'is answered with an error each time, and runs once when it is delivered again',
			async () => {
				const { installation, service, server } = host();
				const before = (await server.client.executions.list({ workflowId: workflow.id })).length;
				service.setSwitches({ redeliveries: 20, redeliveryDelayMs: 500, redeliveryFactor: 1 });
				const attempts = service.ledger.length;
				const unlock = await lockDatabase(installation, server.userFolder);
				// Two copies at the same time, so that one of them waits for the outcome of the other.
				const fate = service.emit({ type: 'emailsReplied' }, { copies: 2 });
				await waitFor(
					'two attempts that failed',
					() => service.ledger.slice(attempts),
					(entries) => entries.length >= 2,
				).finally(unlock);

				const entries = await fate;
				const [first] = entries;
				expect(first?.status).toBeGreaterThanOrEqual(500);
				expect(entries.filter(({ final }) => final).map(({ status }) => status)).toEqual([
					200, 200,
				]);
				const runs = await runsOf(host(), workflow.id, before + 1);
				expect(runs).toHaveLength(before + 1);
				expect(runs.at(-1)).toMatchObject({ _id: first?.activityId });
			},
		);
	});
});
