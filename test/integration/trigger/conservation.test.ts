import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { deriveSecret } from '../../../nodes/OutreachService/model/secret';
import { runtime } from '../support/n8n';
import type { TriggerHost } from '../support/trigger';
import { World } from './world';

let world: World;
let host: TriggerHost;
beforeEach(async () => {
	world = await World.start();
	host = await world.trigger(['emailsReplied', 'smsReplied', 'warmed'], {
		subscription: 'singleHook',
		thirdPartyReplies: 'exclude',
		output: 'grouped',
	});
	await host.activate();
});
afterEach(async () => {
	await world.end();
});

/** The subscriptions, types and IDs of the deliveries: of one activity, several of each. */
const KINDS = [
	{ event: '*', query: '?event=*', type: 'emailsReplied', id: 'a' },
	{ event: '*', query: '', type: 'emailsReplied', id: 'a' },
	{ event: '*', query: '?event=x&event=y', type: 'smsReplied', id: 'a' },
	{ event: '*', query: '?event=*', type: 'emailsReplied', id: 'b' },
	{ event: 'warmed', query: '?event=warmed', type: 'emailsReplied', id: 'a' },
	{ event: '*', query: '?event=*', type: 'emailsOpened', id: 'a' },
	{ event: '*', query: '', type: 'emailsReplied', id: 'c', isThirdPartyReply: true },
] as const;
type Kind = (typeof KINDS)[number];

const isSelected = (kind: Kind) => kind.type !== 'emailsOpened' && kind.id !== 'c';
const nameOf = ({ event, type, id }: Pick<Kind, 'event' | 'type' | 'id'>) =>
	`${event} ${type} ${id}`;
const SELECTED = [...new Set(KINDS.filter(isSelected).map(nameOf))];

const isSuccess = (status: number | undefined) =>
	status !== undefined && status >= 200 && status < 300;
const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** How long a sender that never disconnects is given for a response, in ms: far more than any bound of the node. */
const DECIDED_MS = 3_000;

/** Sends one delivery. @returns undefined when the sender disconnected first */
async function send(kind: Kind, run: number, timeoutMs = DECIDED_MS): Promise<number | undefined> {
	const { targetUrl } = world.service
		.hooks()
		.find((hook) => hook.targetUrl.endsWith(`=${kind.event}`))!;
	const body = {
		_id: `${run} ${kind.id}`,
		type: kind.type,
		secret: deriveSecret(world.service.apiKey, targetUrl),
		...('isThirdPartyReply' in kind ? { isThirdPartyReply: true } : {}),
	};
	return await fetch(targetUrl.replace(/\?.*/, kind.query), {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
		signal: AbortSignal.timeout(timeoutMs),
	}).then(
		({ status }) => status,
		() => undefined,
	);
}

/** The subscription, type and ID of an item of the grouped output. */
function nameOfItem({ event }: IDataObject): string {
	const { id, type, subscription } = event as Record<'id' | 'type' | 'subscription', string>;
	return `${subscription} ${type} ${id.split(' ')[1] ?? ''}`;
}

const delivery = fc.record({
	kind: fc.constantFrom(...KINDS),
	afterMs: fc.nat(20),
	timeoutMs: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
});
/** n8n's status for one execution, and how long it queues it. */
const outcome = fc.record({
	status: fc.constantFrom(200, 200, 204, 404, 500, 503),
	afterMs: fc.nat(60),
});

it('Runs are the distinct deliveries that got a 2xx, every other 200 has a reason, and nothing stays open', async () => {
	let run = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.array(delivery, { minLength: 1, maxLength: 14 }),
			fc.array(outcome, { minLength: 1, maxLength: 5 }),
			async (deliveries, outcomes) => {
				run += 1;
				host.started.length = 0;
				const responses: Array<{ name: string; status: number }> = [];
				host.takes = async (item) => {
					const { status, afterMs } = outcomes[responses.length % outcomes.length]!;
					const response = { name: nameOfItem(item), status };
					responses.push(response);
					await pause(afterMs);
					return response.status;
				};
				const told = await Promise.all(
					deliveries.map(async ({ kind, afterMs, timeoutMs }) => {
						await pause(afterMs);
						return { kind, timeoutMs, status: await send(kind, run, timeoutMs) };
					}),
				);

				// Liveness: every sender has its response or has disconnected, and n8n has ended everything.
				const since = performance.now();
				while (
					host.underWay + runtime.stats().claimedActivities + runtime.stats().waitingDuplicates >
					0
				) {
					expect(performance.now() - since).toBeLessThan(DECIDED_MS);
					await pause(5);
				}
				for (const { timeoutMs, status } of told) {
					if (timeoutMs === undefined) expect(status).toBeDefined();
				}

				// Conservation.
				const ran = host.started.map(({ json }) => nameOfItem(json)).sort();
				const taken = responses.filter(({ status }) => isSuccess(status)).map(({ name }) => name);
				expect(ran).toEqual(taken.sort());
				expect(new Set(ran).size).toBe(ran.length);
				const refusals = responses
					.map(({ status }) => status)
					.filter((status) => !isSuccess(status));
				for (const { kind, status } of told) {
					if (!isSelected(kind)) expect([200, undefined]).toContain(status);
					else if (isSuccess(status)) expect(ran).toContain(nameOf(kind));
					else expect([undefined, ...refusals]).toContain(status);
				}

				// What did not run still can, and what ran does not run again.
				host.takes = () => 200;
				for (const kind of KINDS) expect(await send(kind, run)).toBe(200);
				expect(host.started.map(({ json }) => nameOfItem(json)).sort()).toEqual(
					[...SELECTED].sort(),
				);
			},
		),
		{ numRuns: 25 },
	);
});
