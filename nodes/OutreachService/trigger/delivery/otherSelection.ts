import type { IWebhookFunctions } from 'n8n-workflow';

import type { DesiredWebhook } from '../../model/registration';
import type { Selection } from '../../model/selection';
import { nodeKey } from '../../runtime/nodeKey';
import type { Runtime } from '../../runtime/runtime';
import { desiredWebhooks } from '../registration/desired';
import { readRegistered } from '../registration/staticData';

/** The webhooks of one list whose subscription no webhook of another list has. */
const without = (these: readonly DesiredWebhook[], those: readonly DesiredWebhook[]) =>
	these.filter(
		({ event, campaignId }) =>
			!those.some((other) => other.event === event && other.campaignId === campaignId),
	);

/**
 * Logs once that expressions now select something other than when the webhooks were registered: the service goes on
 * delivering what was selected then, and delivers nothing of what has been selected since (D64).
 */
export function warnOfOtherSelection(
	ctx: IWebhookFunctions,
	runtime: Runtime,
	eventInUrl: string,
	selection: Selection,
): void {
	const { activeNodes, selections } = runtime;
	const node = nodeKey(ctx);
	// A test run has webhooks of its own.
	if (ctx.getMode() === 'manual' || selections.isConstant(node, ctx.getNode().parameters)) return;
	const stored = () => readRegistered(ctx, ctx.getWorkflowStaticData('node'));
	const before = activeNodes.get(ctx)?.desired ?? stored();
	const now = desiredWebhooks(selection, '');
	// A webhook that is left over from other settings is not desired either, but then nothing is missing.
	const isDropped = without(before, now).some(({ event }) => event === eventInUrl);
	if (!isDropped || without(now, before).length === 0) return;
	const registered = before.map(({ event, campaignId = '' }) => `${event} ${campaignId}`).sort();
	// After the workflow has been published again, the next change is logged, too.
	if (!runtime.once(['selection', node, ...registered].join('\n'))) return;
	ctx.logger.warn(
		`An event did not start "${ctx.getNode().name}", because expressions in its parameters now select other events or campaigns than when its webhooks were registered. Deactivate (unpublish) the workflow and activate (publish) it again.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}
