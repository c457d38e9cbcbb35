import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { logFromNow } from '../../host';
import { newActivityId } from '../../load/events';
import type { HookView } from '../../service';
import { runAction, type ActionRun } from '../actionRun';
import { expectedWebhooks, isAsExpected } from '../desiredWebhooks';
import { addForeign, type Model } from '../model';
import { THIRD_PARTY_PATH } from '../thirdParty';
import type { World } from '../world';
import { listed, step, type Step } from './step';

/** Delays and cancellation of an action; times in milliseconds. */
export interface Disturbance {
	/** The delay of each request. */
	delayMs: number;
	/** When the user stops the execution; undefined for never. */
	cancelAfterMs: number | undefined;
}

type Perform = (
	operation: string,
	parameters: Record<string, unknown>,
	input?: Array<Record<string, unknown>>,
) => Promise<ActionRun>;

/** A user runs an operation of the action node. */
function action(
	kind: string,
	text: string,
	{ delayMs, cancelAfterMs }: Disturbance,
	run: (perform: Perform, model: Model, world: World) => Promise<void>,
): Step {
	const performIn =
		(model: Model, world: World): Perform =>
		async (operation, parameters, input = [{}]) => {
			const { service } = world.host;
			const fault =
				delayMs > 0 ? service.addFault({ kind: 'delay', delayMs, times: 20 }) : undefined;
			try {
				return await runAction(world, operation, parameters, input, cancelAfterMs);
			} finally {
				if (fault !== undefined) service.clearFaults(fault);
				// A delayed request may still be in progress.
				await pause(delayMs);
				syncForeign(model, world);
			}
		};
	return step({
		kind: `action: ${kind}`,
		text: listed(
			`action ${text}`,
			delayMs > 0 && `each request delayed by ${delayMs} ms`,
			cancelAfterMs !== undefined && `stopped after ${cancelAfterMs} ms`,
		),
		run: (model, world) => run(performIn(model, world), model, world),
	});
}

/** The foreign webhooks that deliver to the third party. */
const thirdPartyWebhooks = ({ foreign }: Model) =>
	foreign.filter(({ targetUrl }) => targetUrl.includes(THIRD_PARTY_PATH));

/** Updates the model's foreign webhooks with those that an action has created and removed, as asked. */
function syncForeign(model: Model, { webhooks }: World): void {
	const there = new Set(webhooks.map(({ _id }) => _id));
	model.foreign = model.foreign.filter(({ _id }) => there.has(_id) || !model.mayBeDeleted.has(_id));
	const known = new Set(model.foreign.map(({ _id }) => _id));
	addForeign(
		model,
		...webhooks.filter(
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
	const outcome = isSuccess ? 'succeeded' : isCancelled ? 'was cancelled' : `failed: ${error}`;
	throw new Error(`After an action that ${outcome}:\n  ${problem}`);
}

const idsOf = ({ items }: ActionRun) => items.map(({ _id }) => _id);

/** Create, for one or more items with the same target URL. */
export const createByAction = (count: number, disturbance: Disturbance): Step =>
	action(
		'create',
		`Create for ${count} items with the same target URL`,
		disturbance,
		async (perform, _model, world) => {
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

/** Delete, for a foreign webhook. */
export const deleteByAction = (index: number, disturbance: Disturbance): Step =>
	action(
		'delete',
		`Delete for foreign webhook ${index}`,
		disturbance,
		async (perform, model, world) => {
			const webhooks = thirdPartyWebhooks(model);
			const webhook = webhooks[index % webhooks.length] ?? addThirdPartyWebhook(model, world);
			model.mayBeDeleted.add(webhook._id);
			const run = await perform('delete', byId(webhook));
			const isThere = world.webhooks.some(({ _id }) => _id === webhook._id);
			expectThat(!run.isSuccess || !isThere, `${webhook._id} still exists`, run);
		},
	);

/** Delete Many, with a filter that matches exactly the third party's webhooks. */
export const deleteManyByAction = (dryRun: boolean, disturbance: Disturbance): Step =>
	action(
		'delete many',
		`Delete Many for the third party's webhooks${dryRun ? ', dry run' : ''}`,
		disturbance,
		async (perform, model, world) => {
			addThirdPartyWebhook(model, world);
			addThirdPartyWebhook(model, world);
			const webhooks = thirdPartyWebhooks(model);
			if (!dryRun) for (const { _id } of webhooks) model.mayBeDeleted.add(_id);
			const filters = { targetUrl: THIRD_PARTY_PATH };
			const run = await perform('deleteMany', { filters, dryRun });
			if (!run.isSuccess) return;
			const left = thirdPartyWebhooks(model).length;
			expectThat(left === (dryRun ? webhooks.length : 0), `${left} are left`, run);
			expectThat(run.items.length === webhooks.length, `${run.items.length} items`, run);
		},
	);

/** Rotate Secret, for a foreign webhook. */
export const rotateByAction = (secret: string, disturbance: Disturbance): Step =>
	action(
		'rotate',
		`Rotate Secret for a foreign webhook, ${secret === '' ? 'generated' : 'given'}`,
		disturbance,
		async (perform, model, world) => {
			const { service } = world.host;
			const isQuiet = service.faults.length === 0 && !model.disturbed && !model.slow;
			const webhook = addThirdPartyWebhook(model, world);
			model.mayBeDeleted.add(webhook._id);
			const newLog = await logFromNow(world.host);
			const run = await perform('rotateSecret', { ...byId(webhook), secret });
			const current = world.webhooks.filter(({ targetUrl }) => targetUrl === webhook.targetUrl);
			// A rotation that was stopped may still undo itself: the service, or a wait before a retry, can take seconds.
			for (const { _id } of current) model.mayBeDeleted.add(_id);
			expectThat(current.length > 0, 'no webhook exists', run);
			if (run.isSuccess) {
				expectThat(idsOf(run).includes(current[0]?._id), 'the item contains another webhook', run);
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
				(await newLog()).includes(`Completed anyway: item 0 (${successor}).`);
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

/** Rotate Secret, for a webhook that an active trigger needs: it must be refused, and change nothing. */
export const rotateOwnByAction = (index: number, disturbance: Disturbance): Step =>
	action(
		'rotate own',
		`Rotate Secret for webhook ${index} of an active trigger`,
		disturbance,
		async (perform, model, world) => {
			const needed = expectedWebhooks(model, world, ({ published }) => published);
			const webhooks = world.webhooks.filter((webhook) =>
				needed.some((expected) => isAsExpected(webhook, expected)),
			);
			const webhook = webhooks[index % webhooks.length];
			if (webhook === undefined) return;
			const run = await perform('rotateSecret', { ...byId(webhook), secret: '' });
			expectThat(!run.isSuccess, `the secret of ${webhook._id} was rotated`, run);
		},
	);

const OLD_SECRET = 'known to the third party';

function addThirdPartyWebhook(model: Model, world: World): HookView {
	const targetUrl = world.environment.thirdParty.target(randomUUID());
	const fields = { targetUrl, type: 'paused', secret: OLD_SECRET, team: world.team };
	const webhook = world.host.service.addHook(fields);
	addForeign(model, webhook);
	return webhook;
}

const byId = ({ _id }: HookView) => ({ webhookId: { __rl: true, mode: 'id', value: _id } });

/** The secrets in the deliveries to a target URL. */
async function secretsAt(world: World, target: string): Promise<Array<string | undefined>> {
	const id = newActivityId();
	const { thirdParty } = world.environment;
	const expected = world.webhooks.filter(({ targetUrl }) => targetUrl === target).length;
	// The event also goes to other webhooks; do not wait for these.
	void world.deliveries.send('paused', { id });
	for (let waited = 0; waited < 3_000 && thirdParty.secrets(target, id).length < expected; ) {
		await pause(50);
		waited += 50;
	}
	return thirdParty.secrets(target, id);
}
