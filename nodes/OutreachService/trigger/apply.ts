import { NodeApiError, type IHookFunctions, type ITriggerFunctions } from 'n8n-workflow';

import type { Hook } from '../model/schemas';
import { isSameUrl, normalizeUrl } from '../model/targetUrl';
import { mapConcurrently } from '../transport/concurrency';
import { readCredential } from '../transport/credential';
import { settle } from '../transport/settle';
import {
	createWebhook,
	deleteWebhook,
	listWebhooks,
	tryCreateWebhook,
} from '../transport/webhooks';
import type { RegisteredWebhook } from '../model/registration';
import type { Plan } from './plan';
import { deriveSecret, digestOf } from './secret';
import type { DesiredWebhook } from '../model/registration';
import { hookSettings } from './wanted';

/** How many requests of one node are under way at a time; the limiter decides when each may start. */
export const CONCURRENCY = 5;

export type RegistrationContext = IHookFunctions | ITriggerFunctions;

/**
 * The same place, however it is written: services that allow an address only once may compare it so.
 * A node's webhooks differ in the query alone.
 */
const place = (url: string): string =>
	normalizeUrl(url).replace(/\?.*$/, '').replace(/\/+$/, '').toLowerCase();

function conflictError(
	ctx: RegistrationContext,
	wanted: DesiredWebhook,
	hooks: Hook[],
): NodeApiError {
	const other = hooks.find(({ targetUrl }) => place(targetUrl) === place(wanted.targetUrl));
	return new NodeApiError(
		ctx.getNode(),
		{},
		{
			httpCode: '409',
			// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the webhook is in both.
			message: `The service refuses the address of this workflow: ${other ? `the webhook ${other._id}` : 'another webhook'} has it already`,
			description: other
				? `The address of this workflow belongs to the webhook ${other._id}: ${other.targetUrl}. Delete it if nobody needs it. If it belongs to this workflow, set the option 'Subscription' to 'One Webhook for Everything'.`
				: 'The address of this workflow belongs to a webhook that is not in the list of your team, so it belongs to another one. Give this workflow a new trigger node: it gets an address of its own.',
		},
	);
}

async function createOne(
	ctx: RegistrationContext,
	wanted: DesiredWebhook,
	secret: string,
	known: ReadonlySet<string>,
): Promise<Hook> {
	const settings = hookSettings(wanted, secret);
	const created = await tryCreateWebhook(ctx, settings, { known });
	if (!(created instanceof NodeApiError)) return created;
	const hooks = await listWebhooks(ctx);
	const leftovers = hooks.filter(({ targetUrl }) => isSameUrl(targetUrl, wanted.targetUrl));
	if (leftovers.length === 0) throw conflictError(ctx, wanted, hooks);
	for (const { _id } of leftovers) await deleteWebhook(ctx, _id);
	return await createWebhook(ctx, settings, { known });
}

/** Takes back what was created; what cannot be taken back is logged, and found by its address the next time. */
async function undo(ctx: RegistrationContext, created: RegisteredWebhook[]): Promise<void> {
	await mapConcurrently(created, CONCURRENCY, async ({ id, event }) => {
		const result = await settle(deleteWebhook(ctx, id));
		if (result.ok) return;
		ctx.logger.warn(
			`Webhook ${id} (${event}) could not be removed after a registration that was broken off: ${result.error.message}. The next activation of the workflow removes it.`,
		);
	});
}

/**
 * Carries out a plan: successors first, so that no event falls into a gap, then the removals. If a step fails,
 * what was created is taken back.
 * @returns the webhooks that are registered now
 * @throws NodeApiError of the first step that failed
 */
export async function applyPlan(
	ctx: RegistrationContext,
	{ keep, create, remove }: Plan,
	listed: readonly Hook[],
): Promise<RegisteredWebhook[]> {
	if (create.length + remove.length === 0) return keep;
	const { apiKey } = await readCredential(ctx);
	const known = new Set(listed.map(({ _id }) => _id));
	const created: RegisteredWebhook[] = [];

	const steps = async (): Promise<void> => {
		await mapConcurrently(create, CONCURRENCY, async (wanted) => {
			const secret = deriveSecret(apiKey, wanted.targetUrl);
			const { _id: id } = await createOne(ctx, wanted, secret, known);
			created.push({ id, digest: digestOf(secret), ...wanted });
		});
		// 'Not found' is fine here: gone is what it should be.
		await mapConcurrently(remove, CONCURRENCY, async ({ _id }) => await deleteWebhook(ctx, _id));
	};
	const result = await settle(steps());
	if (!result.ok) {
		await undo(ctx, created);
		throw result.error;
	}
	return [...keep, ...created];
}
