import type { IHookFunctions } from 'n8n-workflow';

import { createClient, type Client } from '../../api/createClient';
import { reportedBy } from '../../api/errors';
import { ACTIVATION_POLICY, DEFAULT_POLICY } from '../../api/retryPolicy';
import { isTestUrl } from '../../model/n8nUrls';
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import { reachOf } from '../../model/reach';
import type { Webhook } from '../../model/schemas';
import { digestOf } from '../../model/secret';
import type { Failed } from '../../runtime/handovers';
import type { Runtime } from '../../runtime/runtime';
import { mapConcurrently } from '../../utils/mapConcurrently';
import { settle } from '../../utils/settle';
import { readSelection } from '../parameters';
import { desiredWebhooks } from '../reconcile/desired';
import { ownWebhooks } from '../reconcile/plan';
import { isTestRunAt, readRegistered, readSampleRun, writeRegistered } from '../state/staticData';
import { reachFor } from './checkReach';
import { failureKey, webhookUrl } from './register';

/** What n8n ends by calling `delete`. */
type Ending = 'deactivation' | 'testRun' | 'failedActivation';

/**
 * Removes the registered webhooks and those with exactly one of this node's target URLs (§4.3). At the end of a test run,
 * n8n waits for that only if those of the test run are being changed (D60).
 * @returns true, which means nothing to n8n: only an error tells it that something remains
 * @throws NodeApiError when a webhook of an active workflow could not be removed: n8n tries again, and tells the user.
 *   What remains stays registered, so that the next activation removes it. After an activation that failed, and at the
 *   end of a test run, a failure is only logged (D60, D61).
 */
export async function unregister(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	const base = webhookUrl(ctx);
	const failed = runtime.handovers.takeFailure(failureKey(ctx, base));
	const ending = isTestRun(ctx, base) ? 'testRun' : failed ? 'failedActivation' : 'deactivation';
	const isChanging = runtime.activeNodes.isChanging(ctx, base);
	const removal = reportedBy(ctx.getNode(), removeOwn(ctx, runtime, { base, ending, failed }));
	if (ending === 'deactivation') {
		await removal;
		return true;
	}
	const logged = warnOfFailure(ctx, removal, ending);
	// An event may arrive during `create`, after which n8n listens again: `delete` must end after that.
	if (ending === 'failedActivation' || isChanging) await logged;
	return true;
}

/**
 * Whether a test run ends: n8n calls `delete` in the mode of a deactivation. The static data tells, whatever path the URL
 * has (`N8N_ENDPOINT_WEBHOOK_TEST`), unless the user stopped listening before there was any.
 */
const isTestRun = (ctx: IHookFunctions, base: string): boolean =>
	isTestRunAt(ctx.getWorkflowStaticData('node'), base) || isTestUrl(base);

async function warnOfFailure(
	ctx: IHookFunctions,
	removal: Promise<void>,
	ending: Exclude<Ending, 'deactivation'>,
): Promise<void> {
	const result = await settle(removal);
	if (result.ok) return;
	const { name } = ctx.getNode();
	const { message } = result.error;
	const about = { workflowId: ctx.getWorkflow().id };
	if (ending === 'testRun') {
		ctx.logger.warn(
			`The webhooks of a test run of "${name}" could not be removed: ${message}. The next test run with 'Real Event' removes them; or delete them at the service.`,
			about,
		);
		return;
	}
	ctx.logger.warn(
		`Webhooks of "${name}" could not be removed after an activation that failed: ${message}. The next activation of the workflow removes them.`,
		about,
	);
}

async function removeOwn(
	ctx: IHookFunctions,
	runtime: Runtime,
	{ base, ending, failed }: { base: string; ending: Ending; failed: Failed | undefined },
): Promise<void> {
	const { activeNodes } = runtime;
	// The expressions of parameters can be evaluated only until `delete` returns.
	const selected = selectedWebhooks(ctx, base);
	if (activeNodes.get(ctx)?.base === base) activeNodes.cancelRepair(ctx);
	await activeNodes.exclusively(ctx, base, async () => {
		// n8n ends a test run in the same mode as it deactivates, so the URL decides whether the active node is meant.
		const active = activeNodes.get(ctx);
		const live = active?.base === base ? active : undefined;
		// From here on nothing is repaired any more, even if the removal fails.
		if (live) {
			activeNodes.delete(ctx);
			activeNodes.beginLeaving(ctx);
		}
		// Nothing was changed, and the service has just failed.
		if (failed === 'list') return;
		const staticData = ctx.getWorkflowStaticData('node');
		if (readSampleRun(staticData)) return;
		const saved = readRegistered(ctx, staticData);
		const registered = [...saved, ...(live?.webhooks ?? []), ...(live?.leftovers ?? [])];
		const policy = ending === 'deactivation' ? DEFAULT_POLICY : ACTIVATION_POLICY;
		const client = createClient(ctx, runtime, { policy });
		const listed = await client.listWebhooks();
		const expected = live
			? [...live.webhooks, ...(await withEarlierKey(client, saved))]
			: registered;
		const desired = live?.desired ?? selected;
		const others = activeNodes.webhooksOfOthers(ctx);
		const found = ownWebhooks({ base, listed, registered, desired, others });
		const own = await withoutThoseElsewhere(ctx, client, base, found);
		const stays = new Set(found.filter((one) => !own.includes(one)).map(({ _id }) => _id));
		const failures = new Map<string, Error>();
		const known = new Set(listed.map(({ _id }) => _id));
		// A webhook that was just created may not be listed yet.
		const created = registered.filter(({ id }) => !known.has(id) && runtime.recentCreates.has(id));
		const ids = new Set([...own.map(({ _id }) => _id), ...created.map(({ id }) => id)]);
		await mapConcurrently([...ids], async (id) => {
			const result = await settle(client.deleteWebhook(id));
			if (!result.ok) failures.set(id, result.error);
			// Of one that could not be removed, the failure tells.
			if (!result.ok || result.value.wasFound) known.add(id);
		});
		if (ending !== 'testRun') warnOfUnlisted(ctx, expected, known);
		const remaining = registered.filter(({ id }) => failures.has(id) || stays.has(id));
		writeRegistered(ctx, staticData, remaining);
		const [failure] = failures.values();
		if (failure) throw failure;
	});
}

/**
 * Without the webhooks at another address, in an n8n whose own the service cannot reach: its database is probably a copy,
 * and the webhooks belong to the original. A rejected activation makes n8n call `delete`, which must not silence that.
 */
async function withoutThoseElsewhere(
	ctx: IHookFunctions,
	client: Client,
	base: string,
	webhooks: Webhook[],
): Promise<Webhook[]> {
	if ((await reachFor(client, base)) !== 'machine') return webhooks;
	const own = webhooks.filter(({ targetUrl }) => reachOf(targetUrl) === 'machine');
	if (own.length < webhooks.length) {
		ctx.logger.warn(
			`The webhooks of "${ctx.getNode().name}" at another URL were not removed, because they seem to belong to another n8n. The service cannot reach this n8n at ${new URL(base).origin}. If they do belong to this n8n, set WEBHOOK_URL, or delete them at the service.`,
			{ workflowId: ctx.getWorkflow().id },
		);
	}
	return own;
}

/**
 * The webhooks that the node's parameters select: what a process registered that was killed before n8n could save it.
 * None when the parameters cannot be used, which must not keep n8n from removing the rest.
 */
function selectedWebhooks(ctx: IHookFunctions, base: string): DesiredWebhook[] {
	try {
		return desiredWebhooks(readSelection(ctx), base);
	} catch {
		return [];
	}
}

/**
 * The webhooks whose secret an earlier API key gave: perhaps one of another team. The others are no loss when they are
 * not listed: what a repair has replaced stays in the static data.
 */
async function withEarlierKey(
	client: Client,
	saved: readonly RegisteredWebhook[],
): Promise<RegisteredWebhook[]> {
	const isEarlier = await Promise.all(
		saved.map(
			async ({ digest, targetUrl }) => digest !== digestOf(await client.secretFor(targetUrl)),
		),
	);
	return saved.filter((_webhook, index) => isEarlier[index]);
}

/** A registered webhook that is not listed is gone, or in the team of an earlier API key, out of reach. */
function warnOfUnlisted(
	ctx: IHookFunctions,
	registered: readonly RegisteredWebhook[],
	known: ReadonlySet<string>,
): void {
	const missing = new Set(registered.filter(({ id }) => !known.has(id)).map(({ id }) => id));
	if (missing.size === 0) return;
	ctx.logger.warn(
		`The service no longer lists the webhooks ${[...missing].join(', ')} of "${ctx.getNode().name}". If the API key has since been changed to one of another team, delete them in the earlier team.`,
	);
}
