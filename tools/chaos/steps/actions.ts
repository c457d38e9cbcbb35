import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { logFromNow } from '../../host';
import type { HookView } from '../../service';
import { runAction, type ActionRun } from '../actionRun';
import { newActivityId } from '../deliveries';
import { expectedWebhooks } from '../desiredWebhooks';
import { addForeign, disturb, ownOf, type Model } from '../model';
import { THIRD_PARTY_PATH } from '../thirdParty';
import type { World } from '../world';
import { Step } from './step';

/** Delays and cancellation of an action; times in milliseconds. */
export interface Disturbance {
	/** The delay of each request. */
	delayMs: number;
	/** When the user stops the execution; undefined for never. */
	cancelAfterMs: number | undefined;
}

/** A user runs an operation of the action node. */
abstract class Action extends Step {
	constructor(private readonly disturbance: Disturbance) {
		super();
	}

	protected async perform(
		model: Model,
		world: World,
		operation: string,
		parameters: Record<string, unknown>,
		input: Array<Record<string, unknown>> = [{}],
	): Promise<ActionRun> {
		const { service } = world.host;
		const { delayMs, cancelAfterMs } = this.disturbance;
		const fault = delayMs > 0 ? service.addFault({ kind: 'delay', delayMs, times: 20 }) : undefined;
		try {
			return await runAction(world, operation, parameters, input, cancelAfterMs);
		} finally {
			if (fault !== undefined) service.clearFaults(fault);
			// A delayed request may still be in progress.
			await pause(delayMs);
			syncForeign(model, world);
		}
	}

	protected how(): string {
		const { delayMs, cancelAfterMs } = this.disturbance;
		return [
			...(delayMs === 0 ? [] : [`each request delayed by ${delayMs} ms`]),
			...(cancelAfterMs === undefined ? [] : [`stopped after ${cancelAfterMs} ms`]),
		]
			.map((part) => `, ${part}`)
			.join('');
	}
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
export class CreateByAction extends Action {
	readonly kind = 'action: create';

	constructor(
		private readonly count: number,
		disturbance: Disturbance,
	) {
		super(disturbance);
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const targetUrl = world.environment.thirdParty.target(randomUUID());
		const input = Array.from({ length: this.count }, () => ({ targetUrl }));
		const parameters = { targetUrl: '={{ $json.targetUrl }}', event: 'paused' };
		const run = await this.perform(model, world, 'create', parameters, input);
		const made = new Set(
			world.webhooks.filter((webhook) => webhook.targetUrl === targetUrl).map(({ _id }) => _id),
		);
		expectThat(
			made.size <= this.count,
			`${made.size} webhooks were created for ${this.count} items`,
			run,
		);
		if (!run.isSuccess) return;
		const ids = idsOf(run);
		expectThat(
			new Set(ids).size === this.count,
			`the items contain webhooks ${ids.join(', ')}`,
			run,
		);
		expectThat(
			made.size === this.count && ids.every((id) => made.has(String(id))),
			`the items contain ${ids.join(', ')}, but the service has ${[...made].join(', ')}`,
			run,
		);
	}

	toString(): string {
		return `action Create for ${this.count} items with the same target URL${this.how()}`;
	}
}

/** Delete, for a foreign webhook. */
export class DeleteByAction extends Action {
	readonly kind = 'action: delete';

	constructor(
		private readonly index: number,
		disturbance: Disturbance,
	) {
		super(disturbance);
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const webhooks = [...thirdPartyWebhooks(model)];
		const webhook = webhooks[this.index % webhooks.length] ?? addThirdPartyWebhook(model, world);
		model.mayBeDeleted.add(webhook._id);
		const run = await this.perform(model, world, 'delete', byId(webhook));
		const isThere = world.webhooks.some(({ _id }) => _id === webhook._id);
		expectThat(!run.isSuccess || !isThere, `${webhook._id} still exists`, run);
	}

	toString(): string {
		return `action Delete for foreign webhook ${this.index}${this.how()}`;
	}
}

/** Delete Many, with a filter that matches exactly the third party's webhooks. */
export class DeleteManyByAction extends Action {
	readonly kind = 'action: delete many';

	constructor(
		private readonly isDryRun: boolean,
		disturbance: Disturbance,
	) {
		super(disturbance);
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		addThirdPartyWebhook(model, world);
		addThirdPartyWebhook(model, world);
		const webhooks = thirdPartyWebhooks(model);
		if (!this.isDryRun) for (const { _id } of webhooks) model.mayBeDeleted.add(_id);
		const run = await this.perform(model, world, 'deleteMany', {
			filters: { targetUrl: THIRD_PARTY_PATH },
			dryRun: this.isDryRun,
		});
		const left = thirdPartyWebhooks(model).length;
		expectThat(
			!run.isSuccess || left === (this.isDryRun ? webhooks.length : 0),
			`${left} are left`,
			run,
		);
		expectThat(
			!run.isSuccess || run.items.length === webhooks.length,
			`${run.items.length} items`,
			run,
		);
	}

	toString(): string {
		return `action Delete Many for the third party's webhooks${this.isDryRun ? ', dry run' : ''}${this.how()}`;
	}
}

/** Rotate Secret, for a foreign webhook. */
export class RotateByAction extends Action {
	readonly kind = 'action: rotate';

	constructor(
		private readonly secret: string,
		disturbance: Disturbance,
	) {
		super(disturbance);
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const { service } = world.host;
		const isQuiet = service.faults.length === 0 && !model.disturbed && !model.slow;
		const webhook = addThirdPartyWebhook(model, world);
		model.mayBeDeleted.add(webhook._id);
		const parameters = { ...byId(webhook), secret: this.secret };
		const newLog = await logFromNow(world.host);
		const run = await this.perform(model, world, 'rotateSecret', parameters);
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
		if (isQuiet) await this.checkSecrets(world, webhook, run, newLog);
	}

	/**
	 * Checks that every remaining webhook has a secret that somebody knows, or that n8n's log says which has not: nobody
	 * sees the output of an execution that was stopped while the removal of the old webhook was on its way.
	 */
	private async checkSecrets(
		world: World,
		webhook: HookView,
		run: ActionRun,
		newLog: () => Promise<string>,
	): Promise<void> {
		const returned = run.items.map(({ secret }) => secret);
		const known = new Set(
			run.isSuccess ? returned : [OLD_SECRET, ...(this.secret ? [this.secret] : [])],
		);
		const secrets = await secretsAt(world, webhook.targetUrl);
		const successor = world.webhooks.find(({ targetUrl }) => targetUrl === webhook.targetUrl)?._id;
		const isLogged =
			run.isCancelled &&
			successor !== undefined &&
			successor !== webhook._id &&
			(await newLog()).includes(`Completed anyway: item 0 (${successor}).`);
		expectThat(
			isLogged || secrets.every((secret) => known.has(secret)),
			`a webhook has a secret that nobody knows (${secrets.length} webhooks)`,
			run,
		);
	}

	toString(): string {
		return `action Rotate Secret for a foreign webhook, ${this.secret === '' ? 'generated' : 'given'}${this.how()}`;
	}
}

/** Rotate Secret, for a trigger's own webhook: refused while the trigger is active. */
export class RotateOwnByAction extends Action {
	readonly kind = 'action: rotate own';

	constructor(
		private readonly index: number,
		disturbance: Disturbance,
	) {
		super(disturbance);
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const own = ownOf(model, world.webhooks);
		const webhook = own[this.index % Math.max(own.length, 1)];
		if (webhook === undefined) return;
		disturb(model);
		model.rotatedOwn = true;
		const parameters = { ...byId(webhook), secret: '' };
		const run = await this.perform(model, world, 'rotateSecret', parameters);
		const current = world.webhooks.filter(({ targetUrl }) => targetUrl === webhook.targetUrl);
		// The removal of a webhook that its trigger no longer wants may still be tried again meanwhile.
		const isWanted = expectedWebhooks(model, world).some(
			({ targetUrl }) => targetUrl === webhook.targetUrl,
		);
		expectThat(current.length > 0 || !isWanted, 'no webhook exists', run);
	}

	toString(): string {
		return `action Rotate Secret for webhook ${this.index} of a trigger${this.how()}`;
	}
}

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
