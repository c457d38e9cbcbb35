/** A user runs an operation of the action node, while requests are delayed or the user stops the execution. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { errorOf, itemsOf, logFromNow, N8nRequestError } from '../host';
import { kindOfStep, type Steps } from '../histories/step';
import { ACTION_NAME, actionWorkflow, START_NAME } from '../host/workflows';
import { newActivityId } from '../load/events';
import type { HookView } from '../service';
import { lineOf } from './settings';
import { THIRD_PARTY_PATH } from './surroundings';
import { requiredWebhooks } from './workflows';
import type { World } from './world';

/** Longer than an action takes to give up on a request: two minutes. */
const LONGEST_ACTION_MS = 300_000;
/** A cancelled action has ended once it has sent no request for this many milliseconds. */
const QUIET_MS = 3_000;

interface ActionRun {
	isSuccess: boolean;
	isCancelled: boolean;
	error: string | undefined;
	/** The output of the action node. */
	items: Array<Record<string, unknown>>;
}

/** Runs an operation, once for each input item. */
type Perform = (
	operation: string,
	parameters: Record<string, unknown>,
	input?: Array<Record<string, unknown>>,
) => Promise<ActionRun>;

/** Times in milliseconds. */
interface Disturbance {
	/** The delay of each request. */
	delayMs: number;
	/** When the user stops the execution; undefined for never. */
	cancelAfterMs: number | undefined;
}

const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
	fc.constant({ delayMs: 0, cancelAfterMs: undefined }),
	fc.record({
		delayMs: fc.integer({ min: 100, max: 1_000 }),
		cancelAfterMs: fc.integer({ min: 50, max: 3_000 }),
	}),
);

/** Steps that run an operation. */
const action = <Values extends object>(
	kind: string,
	values: fc.Arbitrary<Values>,
	run: (perform: Perform, values: Values, world: World) => Promise<void>,
): Steps<World> =>
	kindOfStep<Values & Disturbance, World>(`action: ${kind}`, {
		run: (chosen, world) => run(performIn(world, chosen), chosen, world),
	})(fc.tuple(values, disturbance).map(([one, other]) => ({ ...one, ...other })));

const performIn =
	(world: World, { delayMs, cancelAfterMs }: Disturbance): Perform =>
	async (operation, parameters, input = [{}]) => {
		const { service } = world.host;
		const fault = delayMs > 0 ? service.addFault({ kind: 'delay', delayMs, times: 20 }) : undefined;
		try {
			return await runAction(world, operation, parameters, input, cancelAfterMs);
		} finally {
			if (fault !== undefined) service.clearFaults(fault);
			// A delayed request may still be in progress.
			await pause(delayMs);
			syncForeign(world);
		}
	};

/** As _Execute workflow_ in the editor does. */
async function runAction(
	world: World,
	operation: string,
	parameters: Record<string, unknown>,
	input: Array<Record<string, unknown>>,
	cancelAfterMs: number | undefined,
): Promise<ActionRun> {
	const { client } = world.host.server;
	const { credential } = world;
	const { id } = await client.createWorkflow({
		...actionWorkflow(credential, { resource: 'webhook', operation, ...parameters }),
		pinData: { [START_NAME]: input.map((json) => ({ json })) },
	});
	world.helperWorkflows.push(id);
	const { executionId } = await client.runWorkflow(id, START_NAME);
	if (cancelAfterMs !== undefined && executionId !== undefined) {
		await pause(cancelAfterMs);
		await client.executions.stop(executionId).catch((error: unknown) => {
			// It has already finished.
			if (!(error instanceof N8nRequestError)) throw error;
		});
	}
	const timeoutMs = LONGEST_ACTION_MS;
	const [execution] = await client.executions.waitForFinished(id, 1, { timeoutMs });
	if (execution === undefined) throw new Error('The action has no execution');
	const isCancelled = execution.status === 'canceled';
	// An operation may continue for a while after it is cancelled.
	if (isCancelled) await world.silence(QUIET_MS);
	return {
		isSuccess: execution.status === 'success',
		isCancelled,
		error: errorOf(execution),
		items: itemsOf(execution, ACTION_NAME),
	};
}

/** The foreign webhooks that deliver to the third party. */
const thirdPartyWebhooks = ({ foreign }: World) =>
	foreign.filter(({ targetUrl }) => targetUrl.includes(THIRD_PARTY_PATH));

/** Updates the foreign webhooks with those that an action has created and removed, as asked. */
function syncForeign(world: World): void {
	const there = new Set(world.webhooks.map(({ _id }) => _id));
	world.foreign = world.foreign.filter(({ _id }) => there.has(_id) || !world.mayBeDeleted.has(_id));
	const known = new Set(world.foreign.map(({ _id }) => _id));
	world.addForeign(
		...world.webhooks.filter(
			({ _id, targetUrl }) => targetUrl.includes(THIRD_PARTY_PATH) && !known.has(_id),
		),
	);
}

/** @throws with `problem`, if a condition does not hold after an action */
function expectThat(
	holds: boolean,
	problem: string,
	{ isSuccess, isCancelled, error }: ActionRun,
): void {
	if (holds) return;
	const ended = isCancelled ? 'was cancelled' : `failed: ${error}`;
	const outcome = isSuccess ? 'succeeded' : ended;
	throw new Error(`After an action that ${outcome}:\n  ${problem}`);
}

const idsOf = ({ items }: ActionRun) => items.map(({ _id }) => _id);

const OLD_SECRET = 'known to the third party';

function addThirdPartyWebhook(world: World): HookView {
	const targetUrl = world.environment.thirdParty.target(randomUUID());
	const fields = { targetUrl, type: 'paused', secret: OLD_SECRET, team: world.team };
	const webhook = world.host.service.addHook(fields);
	world.addForeign(webhook);
	return webhook;
}

const byId = ({ _id }: HookView) => ({ webhookId: { __rl: true, mode: 'id', value: _id } });

/** The secrets in the deliveries to a target URL. */
async function secretsAt(world: World, target: string): Promise<Array<string | undefined>> {
	const id = newActivityId();
	const { thirdParty } = world.environment;
	const expected = world.webhooks.filter(({ targetUrl }) => targetUrl === target).length;
	// The event also goes to other webhooks; do not wait for these.
	void world.send('paused', id);
	const until = performance.now() + 3_000;
	while (performance.now() < until && thirdParty.secrets(target, id).length < expected) {
		await pause(50);
	}
	return thirdParty.secrets(target, id);
}

/** For one or more items with the same target URL. */
const create = action(
	'create',
	fc.record({ count: fc.constantFrom(1, 2, 3) }),
	async (perform, { count }, world) => {
		const targetUrl = world.environment.thirdParty.target(randomUUID());
		const input = Array.from({ length: count }, () => ({ targetUrl }));
		const parameters = { targetUrl: '={{ $json.targetUrl }}', event: 'paused' };
		const run = await perform('create', parameters, input);
		const created = world.webhooks.filter((webhook) => webhook.targetUrl === targetUrl);
		const made = created.map(({ _id }) => _id).sort();
		expectThat(made.length <= count, `${made.length} webhooks for ${count} items`, run);
		if (!run.isSuccess) return;
		const ids = idsOf(run).map(String).sort();
		expectThat(
			made.length === count && ids.join() === made.join(),
			`the items contain ${ids.join(', ')}, but the service has ${made.join(', ')}`,
			run,
		);
	},
);

const deleteOne = action(
	'delete',
	fc.record({ webhook: fc.nat(9) }),
	async (perform, { webhook: index }, world) => {
		const webhooks = thirdPartyWebhooks(world);
		const webhook = webhooks[index % webhooks.length] ?? addThirdPartyWebhook(world);
		world.mayBeDeleted.add(webhook._id);
		const run = await perform('delete', byId(webhook));
		const isThere = world.webhooks.some(({ _id }) => _id === webhook._id);
		expectThat(!run.isSuccess || !isThere, `${webhook._id} still exists`, run);
	},
);

/** With a filter that matches exactly the third party's webhooks. */
const deleteMany = action(
	'delete many',
	fc.record({ dryRun: fc.boolean() }),
	async (perform, { dryRun }, world) => {
		addThirdPartyWebhook(world);
		addThirdPartyWebhook(world);
		const webhooks = thirdPartyWebhooks(world);
		if (!dryRun) for (const { _id } of webhooks) world.mayBeDeleted.add(_id);
		const filters = { targetUrl: THIRD_PARTY_PATH };
		const run = await perform('deleteMany', { filters, dryRun });
		if (!run.isSuccess) return;
		const left = thirdPartyWebhooks(world).length;
		expectThat(left === (dryRun ? webhooks.length : 0), `${left} are left`, run);
		expectThat(run.items.length === webhooks.length, `${run.items.length} items`, run);
	},
);

/** Rotate Secret, with a generated or a given secret. */
const rotate = action(
	'rotate',
	fc.record({ secret: fc.constantFrom('', 'a secret from the user') }),
	async (perform, { secret }, world) => {
		const { service } = world.host;
		const isQuiet = service.faults.length === 0 && !world.disturbed && !world.slow;
		const webhook = addThirdPartyWebhook(world);
		world.mayBeDeleted.add(webhook._id);
		const newLog = await logFromNow(world.host);
		const run = await perform('rotateSecret', { ...byId(webhook), secret });
		const current = world.webhooks.filter(({ targetUrl }) => targetUrl === webhook.targetUrl);
		// A rotation that was stopped may still undo itself: the service, or a wait before a retry, can take seconds.
		for (const { _id } of current) world.mayBeDeleted.add(_id);
		expectThat(current.length > 0, 'no webhook exists', run);
		if (run.isSuccess) {
			const isNew = ({ _id }: HookView) => _id !== webhook._id && idsOf(run).includes(_id);
			expectThat(current.some(isNew), 'the item contains another webhook', run);
			// If the old webhook cannot be removed, the item names it.
			const names = run.items.some(({ note }) => String(note).includes(webhook._id));
			expectThat(current.length === (names ? 2 : 1), `${current.length} webhooks exist`, run);
		}
		if (!isQuiet) return;
		// Nobody sees the output of an execution that was stopped while the removal of the old webhook was on its way.
		const successor = current.find(({ _id }) => _id !== webhook._id)?._id;
		const isLogged =
			run.isCancelled &&
			successor !== undefined &&
			(await newLog()).includes(`Already carried out: item 0 (${successor}).`);
		const known = run.isSuccess
			? run.items.map((item) => item.secret)
			: [OLD_SECRET, ...(secret === '' ? [] : [secret])];
		const secrets = await secretsAt(world, webhook.targetUrl);
		expectThat(
			isLogged || secrets.every((one) => known.includes(one)),
			`a webhook has a secret that nobody knows (${secrets.length} webhooks)`,
			run,
		);
	},
);

/** Rotate Secret for a webhook that an active trigger needs: it must be refused, and change nothing. */
const rotateOwn = action(
	'rotate own',
	fc.record({ webhook: fc.nat(9) }),
	async (perform, { webhook: index }, world) => {
		const required = requiredWebhooks(world.workflows);
		const webhooks = world.webhooks.filter((webhook) => required.includes(lineOf(webhook)));
		const webhook = webhooks[index % webhooks.length];
		if (webhook === undefined) return;
		const run = await perform('rotateSecret', { ...byId(webhook), secret: '' });
		expectThat(!run.isSuccess, `the secret of ${webhook._id} was rotated`, run);
	},
);

export const anyAction = (weight: number): Steps<World> => ({
	weight,
	arbitrary: fc.oneof(create, deleteOne, deleteMany, rotate, rotateOwn),
});
