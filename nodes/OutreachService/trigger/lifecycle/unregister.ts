import type { IHookFunctions } from 'n8n-workflow';

import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import type { Hook } from '../../model/schemas';
import {
	activeNode,
	cancelRepair,
	exclusively,
	hooksOfOthers,
	setActive,
} from '../../runtime/activeNodes';
import { mapConcurrently } from '../../utils/mapConcurrently';
import { settle } from '../../utils/settle';
import { deleteWebhook, listWebhooks } from '../../api/webhooks';
import { CONCURRENCY } from '../reconcile/apply';
import { recall, remember } from '../state/staticData';
import { ownHooks } from '../reconcile/plan';
import { baseUrl } from './register';
import { readSelection } from '../parameters';
import { wantedHooks } from '../reconcile/desired';

/**
 * Removes what we remember and what carries exactly an address of ours (§4.3). What is gone already is fine.
 * @throws NodeApiError when a webhook could not be removed: n8n tries again, and tells the user. What remains
 *   stays remembered, so that the next activation removes it.
 */
export async function unregister(ctx: IHookFunctions): Promise<void> {
	const base = baseUrl(ctx);
	if (activeNode(ctx)?.base === base) cancelRepair(ctx);
	await exclusively(ctx, async () => {
		// n8n ends a test run in the same mode as it deactivates, so only the address tells them apart.
		const live = activeNode(ctx);
		const watched = live?.base === base ? live : undefined;
		// From here on nothing is repaired any more, even if the removal fails.
		if (watched) setActive(ctx, undefined);
		const staticData = ctx.getWorkflowStaticData('node');
		const remembered = [
			...recall(ctx, staticData),
			...(watched?.hooks ?? []),
			...(watched?.leftovers ?? []),
		];
		const listed = await listWebhooks(ctx);
		// What a repair has replaced is remembered until now, and is no loss.
		warnOfUnseen(ctx, watched?.hooks ?? remembered, listed);
		const wanted = watched?.desired ?? (await selectedHooks(ctx, base));
		const own = ownHooks({ base, listed, remembered, wanted, others: hooksOfOthers(ctx) });
		const failures = new Map<string, Error>();
		await mapConcurrently(own, CONCURRENCY, async ({ _id }) => {
			const result = await settle(deleteWebhook(ctx, _id));
			if (!result.ok) failures.set(_id, result.error);
		});
		remember(
			ctx,
			staticData,
			remembered.filter(({ id }) => failures.has(id)),
		);
		const [failure] = failures.values();
		if (failure) throw failure;
	});
}

/**
 * The webhooks that the node's parameters select: what a process registered that was killed before n8n could save it.
 * None when the parameters cannot be used, which must not keep n8n from removing the rest.
 */
async function selectedHooks(ctx: IHookFunctions, base: string): Promise<DesiredWebhook[]> {
	const selected = await settle(
		Promise.resolve().then(() => wantedHooks(readSelection(ctx), base)),
	);
	return selected.ok ? selected.value : [];
}

/** A webhook of ours that the list lacks is gone, or in the team of an earlier API key, where we cannot reach it. */
function warnOfUnseen(ctx: IHookFunctions, remembered: RegisteredWebhook[], listed: Hook[]): void {
	const listedIds = new Set(listed.map(({ _id }) => _id));
	const unseen = remembered.filter(({ id }) => !listedIds.has(id)).map(({ id }) => id);
	if (unseen.length === 0) return;
	ctx.logger.warn(
		`The service no longer lists the webhooks ${unseen.join(', ')} of "${ctx.getNode().name}". If the credential has changed to another team since they were made, delete them there.`,
	);
}
