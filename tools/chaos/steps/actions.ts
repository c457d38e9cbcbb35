import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { HookView } from '../../service';
import { runAction, type ActionRun } from '../actionRun';
import { newActivityId } from '../deliveries';
import { addForeign, ownOf, type Model } from '../model';
import { ELSEWHERE } from '../neighbour';
import type { World } from '../world';
import { Step } from './step';

/** How the service and the user disturb an action; times in milliseconds. */
export interface Disturbance {
	/** How long each of its requests takes. */
	delayMs: number;
	/** When the user stops the execution; undefined: never. */
	cancelAfterMs: number | undefined;
}

/** Somebody runs an operation of the action node. */
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
			// A request may still be held back.
			await pause(delayMs);
			keepUp(model, world);
		}
	}

	protected how(): string {
		const { delayMs, cancelAfterMs } = this.disturbance;
		return [
			...(delayMs === 0 ? [] : [`each request takes ${delayMs} ms`]),
			...(cancelAfterMs === undefined ? [] : [`stopped after ${cancelAfterMs} ms`]),
		]
			.map((part) => `, ${part}`)
			.join('');
	}
}

/** Somebody else's webhooks at the neighbour's. */
const elsewhere = ({ foreign }: Model) =>
	foreign.filter(({ targetUrl }) => targetUrl.includes(ELSEWHERE));

/** Follows what an action has made and removed, as far as it was told to. */
function keepUp(model: Model, { hooks }: World): void {
	const there = new Set(hooks.map(({ _id }) => _id));
	model.foreign = model.foreign.filter(({ _id }) => there.has(_id) || !model.mayBeDeleted.has(_id));
	const known = new Set(model.foreign.map(({ _id }) => _id));
	addForeign(
		model,
		...hooks.filter(({ _id, targetUrl }) => targetUrl.includes(ELSEWHERE) && !known.has(_id)),
	);
}

/** @throws when something that must hold after an action does not */
function must(holds: boolean, what: string, { isSuccess, isCancelled, error }: ActionRun): void {
	if (holds) return;
	const outcome = isSuccess ? 'succeeded' : isCancelled ? 'was cancelled' : `failed: ${error}`;
	throw new Error(`After an action that ${outcome}:\n  ${what}`);
}

const idsOf = ({ items }: ActionRun) => items.map(({ _id }) => _id);

/** Create, for one item or for several with the same address. */
export class CreateByAction extends Action {
	readonly kind = 'action: create';

	constructor(
		private readonly count: number,
		disturbance: Disturbance,
	) {
		super(disturbance);
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const targetUrl = world.surroundings.neighbour.target(randomUUID());
		const input = Array.from({ length: this.count }, () => ({ targetUrl }));
		const parameters = { targetUrl: '={{ $json.targetUrl }}', event: 'paused' };
		const run = await this.perform(model, world, 'create', parameters, input);
		const made = new Set(
			world.hooks.filter((hook) => hook.targetUrl === targetUrl).map(({ _id }) => _id),
		);
		must(made.size <= this.count, `${made.size} webhooks were made for ${this.count} items`, run);
		if (!run.isSuccess) return;
		const ids = idsOf(run);
		must(new Set(ids).size === this.count, `items tell of webhooks ${ids.join(', ')}`, run);
		must(
			made.size === this.count && ids.every((id) => made.has(String(id))),
			`items tell of ${ids.join(', ')}, and there are ${[...made].join(', ')}`,
			run,
		);
	}

	toString(): string {
		return `action Create for ${this.count} items with the same address${this.how()}`;
	}
}

/** Delete of one webhook of somebody else's. */
export class DeleteByAction extends Action {
	readonly kind = 'action: delete';

	constructor(
		private readonly place: number,
		disturbance: Disturbance,
	) {
		super(disturbance);
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const hooks = [...elsewhere(model)];
		const hook = hooks[this.place % hooks.length] ?? addElsewhere(model, world);
		model.mayBeDeleted.add(hook._id);
		const run = await this.perform(model, world, 'delete', byId(hook));
		const isThere = world.hooks.some(({ _id }) => _id === hook._id);
		must(!run.isSuccess || !isThere, `${hook._id} is still there`, run);
	}

	toString(): string {
		return `action Delete of somebody else's webhook ${this.place}${this.how()}`;
	}
}

/** Delete Many with a filter that all webhooks of the neighbour pass, and no other. */
export class DeleteManyByAction extends Action {
	readonly kind = 'action: delete many';

	constructor(
		private readonly isDryRun: boolean,
		disturbance: Disturbance,
	) {
		super(disturbance);
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		addElsewhere(model, world);
		addElsewhere(model, world);
		const hooks = elsewhere(model);
		if (!this.isDryRun) for (const { _id } of hooks) model.mayBeDeleted.add(_id);
		const run = await this.perform(model, world, 'deleteMany', {
			filters: { targetUrl: ELSEWHERE },
			dryRun: this.isDryRun,
		});
		const left = elsewhere(model).length;
		must(!run.isSuccess || left === (this.isDryRun ? hooks.length : 0), `${left} are left`, run);
		must(!run.isSuccess || run.items.length === hooks.length, `${run.items.length} items`, run);
	}

	toString(): string {
		return `action Delete Many of the neighbour's webhooks${this.isDryRun ? ', dry run' : ''}${this.how()}`;
	}
}

/** Rotate Secret of somebody else's webhook. */
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
		const hook = addElsewhere(model, world);
		model.mayBeDeleted.add(hook._id);
		const parameters = { ...byId(hook), secret: this.secret };
		const run = await this.perform(model, world, 'rotateSecret', parameters);
		const standing = world.hooks.filter(({ targetUrl }) => targetUrl === hook.targetUrl);
		must(standing.length > 0, 'no webhook is in force', run);
		if (run.isSuccess) {
			must(idsOf(run).includes(standing[0]?._id), 'the item tells of another webhook', run);
			must(standing.length === 1, `${standing.length} webhooks are in force`, run);
		}
		if (isQuiet) await this.checkSecrets(world, hook, run);
	}

	/** Every webhook that stands must have a secret that somebody knows. */
	private async checkSecrets(world: World, hook: HookView, run: ActionRun): Promise<void> {
		const told = run.items.map(({ secret }) => secret);
		const known = new Set(
			run.isSuccess ? told : [OLD_SECRET, ...(this.secret ? [this.secret] : [])],
		);
		const secrets = await secretsAt(world, hook.targetUrl);
		must(
			secrets.every((secret) => known.has(secret)),
			`a webhook has a secret that nobody knows (${secrets.length} webhooks)`,
			run,
		);
	}

	toString(): string {
		return `action Rotate Secret of somebody else's webhook, ${this.secret === '' ? 'generated' : 'given'}${this.how()}`;
	}
}

/** Rotate Secret of a trigger's own webhook: refused, or the trigger accepts the new secret at the next rest. */
export class RotateOwnByAction extends Action {
	readonly kind = 'action: rotate own';

	constructor(
		private readonly place: number,
		private readonly isAllowed: boolean,
		disturbance: Disturbance,
	) {
		super(disturbance);
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const own = ownOf(model, world.hooks);
		const hook = own[this.place % Math.max(own.length, 1)];
		if (hook === undefined) return;
		model.disturbed = true;
		model.rotatedOwn = true;
		const parameters = { ...byId(hook), secret: '', allowActiveTrigger: this.isAllowed };
		const run = await this.perform(model, world, 'rotateSecret', parameters);
		const standing = world.hooks.filter(({ targetUrl }) => targetUrl === hook.targetUrl);
		must(standing.length > 0, 'no webhook is in force', run);
	}

	toString(): string {
		return `action Rotate Secret of webhook ${this.place} of a trigger${this.isAllowed ? ', allowed' : ''}${this.how()}`;
	}
}

const OLD_SECRET = 'the neighbour knows it';

function addElsewhere(model: Model, world: World): HookView {
	const targetUrl = world.surroundings.neighbour.target(randomUUID());
	const fields = { targetUrl, type: 'paused', secret: OLD_SECRET, team: world.team };
	const hook = world.host.service.addHook(fields);
	addForeign(model, hook);
	return hook;
}

const byId = ({ _id }: HookView) => ({ webhookId: { __rl: true, mode: 'id', value: _id } });

/** The secrets with which the service delivers to an address. */
async function secretsAt(world: World, target: string): Promise<Array<string | undefined>> {
	const id = newActivityId();
	const { neighbour } = world.surroundings;
	const expected = world.hooks.filter(({ targetUrl }) => targetUrl === target).length;
	// Others get the event too; nobody waits for them.
	void world.deliveries.send('paused', { id });
	for (let waited = 0; waited < 3_000 && neighbour.secrets(target, id).length < expected; ) {
		await pause(50);
		waited += 50;
	}
	return neighbour.secrets(target, id);
}
