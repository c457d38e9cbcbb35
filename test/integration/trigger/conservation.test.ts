/**
 * Whatever is selected and sent, each accepted event runs once, at its output. The world is a local service and one
 * trigger in one process of n8n.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { deriveSecret } from '../../../tools/load/deriveSecret';
import { useRealTime } from '../../clock';
import { tries } from '../../propertyRuns';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

// Senders disconnect after real time.
useRealTime();
const world = useWorld();
let host: TriggerHost;

/** The subscriptions, types and IDs of the deliveries; some belong to the same activity. */
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
/** As the grouped output has it: the one webhook for everything delivers each selected event. */
const nameOf = ({ event, type, id }: Pick<Kind, 'event' | 'type' | 'id'>) =>
	`${event === '*' ? type : event} ${type} ${id}`;
const SELECTED = [...new Set(KINDS.filter(isSelected).map(nameOf))];

const isSuccess = (status: number | undefined) =>
	status !== undefined && status >= 200 && status < 300;
const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** How long a sender that never disconnects waits for a response, in milliseconds: far beyond any limit of the node. */
const DECIDED_MS = 3_000;

/** Sends one delivery. @returns undefined when the sender disconnected first */
async function send(kind: Kind, run: number, timeoutMs = DECIDED_MS): Promise<number | undefined> {
	const { targetUrl } = world.webhookFor(kind.event);
	const body = {
		_id: `${run} ${kind.id}`,
		type: kind.type,
		secret: deriveSecret(world.service.apiKey, targetUrl),
		...('isThirdPartyReply' in kind ? { isThirdPartyReply: true } : {}),
	};
	const url = targetUrl.replace(/\?.*/, kind.query);
	return await post(url, body, AbortSignal.timeout(timeoutMs)).then(
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
/** The status with which n8n responds to an execution, and how long the execution is queued. */
const outcome = fc.record({
	status: fc.constantFrom(200, 200, 204, 404, 500, 503),
	afterMs: fc.nat(60),
});

it.each([
	['each on its own', {}],
	['in batches', { batch: { values: { maxEvents: 3, maxSeconds: 0.1 } } }],
])(
	'Of deliveries that run %s, each distinct one that got a 2xx ran once, every other 200 has a reason, and nothing stays open',
	async (_, options) => {
		host = await world.activeTrigger(['emailsReplied', 'smsReplied', 'warmed'], {
			subscription: 'singleHook',
			thirdPartyReplies: 'exclude',
			output: 'grouped',
			...options,
		});
		let run = 0;
		await fc.assert(
			fc.asyncProperty(
				fc.array(delivery, { minLength: 1, maxLength: 14 }),
				fc.array(outcome, { minLength: 1, maxLength: 5 }),
				async (deliveries, outcomes) => {
					run += 1;
					host.started.length = 0;
					const responses: Array<{ name: string; status: number }> = [];
					host.respond = async (_item, items) => {
						const { status, afterMs } = outcomes[responses.length % outcomes.length]!;
						responses.push(...items.map((item) => ({ name: nameOfItem(item), status })));
						await pause(afterMs);
						return status;
					};
					const responded = await Promise.all(
						deliveries.map(async ({ kind, afterMs, timeoutMs }) => {
							await pause(afterMs);
							return { kind, timeoutMs, status: await send(kind, run, timeoutMs) };
						}),
					);

					// Liveness: every sender has a response or has disconnected, and n8n has responded to everything.
					await until(() => {
						const { claimedActivities, waitingDuplicates, heldDeliveries } =
							world.n8n.runtime.stats();
						return host.pending + claimedActivities + waitingDuplicates + heldDeliveries === 0;
					}, DECIDED_MS);
					for (const { timeoutMs, status } of responded) {
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
					for (const { kind, status } of responded) {
						if (!isSelected(kind)) expect([200, undefined]).toContain(status);
						else if (isSuccess(status)) expect(ran).toContain(nameOf(kind));
						else expect([undefined, ...refusals]).toContain(status);
					}

					// An activity that did not run still can, and one that ran does not run again.
					host.respond = () => 200;
					for (const status of await Promise.all(
						KINDS.map(async (kind) => await send(kind, run)),
					)) {
						expect(status).toBe(200);
					}
					expect(host.started.map(({ json }) => nameOfItem(json)).sort()).toEqual(
						[...SELECTED].sort(),
					);
				},
			),
			{ numRuns: tries(4) },
		);
	},
);
