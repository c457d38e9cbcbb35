/**
 * Deliveries of every kind, by the hundred: each authentic activity runs once, and nothing else runs. The world is a
 * real n8n with the package and a local service.
 */
import { deriveSecret } from '../../../tools/load/deriveSecret';
import { waitFor, type N8nWorkflow } from '../../../tools/host';
import { mixed } from '../../../tools/load/events';
import { judge } from '../../../tools/load/judge';
import { send, senderTo } from '../../../tools/load/send';
import { lockDatabase } from '../lockDatabase';
import { DEFAULT_SWITCHES } from '../../../tools/service';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { CAN, testWhere } from '../underTest';
import {
	activateNewWorkflow,
	createServiceCredential,
	triggerWorkflow,
} from '../../../tools/host/workflows';
import { deactivate } from '../../../tools/host/publishing';
import { post, runsOf } from './deliveriesAndRuns';
import { executionsOf, runsAfterTrigger } from './everyExecution';

// Without this, n8n spends most of the time on its expression engine, which these deliveries do not need.
const host = useOutreachHost(
	{ env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } },
	2 * TEST_TIMEOUT_MS,
);

let workflow: N8nWorkflow;

beforeEach(() => {
	host().service.setSwitches(DEFAULT_SWITCHES);
});

const testIfStored = testWhere(
	CAN.storeBeforeResponse,
	'it responds before it has stored the execution',
);

const AUTHENTIC = 700;
/** 140 simultaneous copies, 140 repetitions and 100 forged deliveries. */
const MIXTURE = { twiceEvery: 5, againEvery: 5, againAfter: [30], forgedEvery: 7 };
const SENDERS = 32;
const MALFORMED = ['', '[]', '{', '{"_id":"act_0"', '"text"', 'null', '12', '{}', '[{}]', 'a=b'];

/** Sends bodies one after the other, as an attacker who does not know the secret. */
async function sendInSequence(bodies: string[]): Promise<number[]> {
	const url = host().service.hooks()[0]!.targetUrl;
	const statuses: number[] = [];
	for (const body of bodies) statuses.push(await post(url, body));
	return statuses;
}

describe('With one webhook for all events', () => {
	beforeAll(async () => {
		const draft = triggerWorkflow(await createServiceCredential(host()), { events: ['*'] });
		workflow = await activateNewWorkflow(host(), draft, 1);
	});

	afterAll(async () => {
		await deactivate(host(), workflow.id);
		expect(host().service.hooks()).toEqual([]);
	});

	describe('Almost a thousand deliveries including 280 duplicates, along with forged and malformed ones', () => {
		test('start one execution for each authentic activity, and no others', async () => {
			const { service } = host();
			const url = service.hooks()[0]!.targetUrl;
			const secret = deriveSecret(service.apiKey, url);
			const { deliver, close } = senderTo({ url, secret, redeliveries: 0, connections: SENDERS });
			const ids = Array.from({ length: AUTHENTIC }, (_, index) => `act_${index}`);
			const malformed = Array.from({ length: 50 }, (_, index) => MALFORMED[index % 10]!);

			const [attempts, toMalformed] = await Promise.all([
				send(mixed(ids, MIXTURE), deliver, { concurrency: SENDERS }),
				sendInSequence(malformed),
			]);
			await close();
			// n8n itself rejects invalid JSON.
			expect(toMalformed.every((status) => status === 401 || status === 422)).toBe(true);

			const executions = await executionsOf(host(), workflow);
			expect(judge(attempts, runsAfterTrigger(executions)).problems).toEqual([]);
			expect(executions).toHaveLength(AUTHENTIC);
		});
	});

	describe('A call whose body n8n cannot read', () => {
		test.each([
			['broken gzip', { 'content-encoding': 'gzip' }, 'no gzip'],
			['an unknown encoding', { 'content-encoding': 'zip' }, 'zip'],
		])('is rejected, and is no failed execution: %s', async (_, encoding, body) => {
			const { executions } = host().server.client;
			const before = await executions.list({ workflowId: workflow.id });
			const response = await fetch(host().service.hooks()[0]!.targetUrl, {
				method: 'POST',
				headers: { 'content-type': 'application/octet-stream', ...encoding },
				body: Buffer.from(body),
			});
			expect(response.status).toBe(401);
			expect(await executions.list({ workflowId: workflow.id })).toEqual(before);
		});
	});

	describe("A delivery while n8n's database takes no writes", () => {
		testIfStored(
			'gets an error response each time, and runs once when it is redelivered',
			async () => {
				const { installation, service, server } = host();
				const before = (await server.client.executions.list({ workflowId: workflow.id })).length;
				service.setSwitches({ redeliveries: 20, redeliveryDelayMs: 500, redeliveryFactor: 1 });
				const attempts = service.ledger.length;
				const unlock = await lockDatabase(installation, server.userFolder);
				// Two simultaneous copies, so that one waits for the outcome of the other.
				const delivery = service.emit({ type: 'emailsReplied' }, { copies: 2 });
				await waitFor(
					'two failed attempts',
					() => service.ledger.slice(attempts),
					(entries) => entries.length >= 2,
				).finally(unlock);

				const entries = await delivery;
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
