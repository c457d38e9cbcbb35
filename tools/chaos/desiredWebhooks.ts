import { isDeepStrictEqual } from 'node:util';
import type { HookView } from '../service';
import type { Registered } from './chaosWorkflow';
import type { Deliveries } from './deliveries';
import { ownOf, type Model, type WorkflowModel } from './model';
import { ACTIVITY_TYPES, webhooksFor, type ExpectedWebhook } from './triggerSettings';

/** All webhooks that these workflows must have according to the model, without those of test runs. */
export function expectedWebhooks(
	model: Model,
	{ workflows }: Pick<Registered, 'workflows'>,
	isIncluded: (workflow: WorkflowModel) => boolean = () => true,
): ExpectedWebhook[] {
	return model.workflows.flatMap((workflow, index) =>
		workflow.active && isIncluded(workflow)
			? workflow.settings.flatMap((one, node) =>
					webhooksFor(one, workflows[index]?.triggers[node]?.webhookUrl ?? ''),
				)
			: [],
	);
}

export const text = ({
	targetUrl,
	type,
	campaignId,
	isFirst,
	disabled,
}: ExpectedWebhook & { disabled?: boolean }) =>
	[
		`${targetUrl} (${type ?? 'all events'}`,
		...(campaignId === undefined ? [] : [campaignId]),
		...(isFirst ? ['first only'] : []),
		...(disabled ? ['disabled'] : []),
	].join(', ') + ')';

const asExpected = ({ targetUrl, type, campaignId, isFirst = false, disabled }: HookView) => ({
	targetUrl,
	type,
	campaignId,
	isFirst,
	disabled,
});

/** Whether a webhook works and has the expected settings. */
export const isAsExpected = (webhook: HookView, expected: ExpectedWebhook): boolean =>
	text(asExpected(webhook)) === text(expected);

/** Multiset difference: the texts in `these` that are not in `those`. */
function without(these: string[], those: string[]): string[] {
	const rest = [...those];
	return these.filter((one) => {
		const index = rest.indexOf(one);
		if (index >= 0) rest.splice(index, 1);
		return index < 0;
	});
}

/** A line for each difference between the service's webhooks and the model's. */
export function differences(model: Model, registered: Registered): string[] {
	const { webhooks } = registered;
	const own = ownOf(model, webhooks).map((webhook) => text(asExpected(webhook)));
	const expected = expectedWebhooks(model, registered).map(text);
	const changed = model.foreign.filter(
		(webhook) => !webhooks.some((other) => isDeepStrictEqual(webhook, other)),
	);
	return [
		...without(expected, own).map((webhook) => `missing: ${webhook}`),
		...without(own, expected).map((webhook) => `unexpected: ${webhook}`),
		...changed.map(({ targetUrl }) => `changed, although foreign: ${targetUrl}`),
	];
}

/**
 * Sends activities so that each of our webhooks receives a delivery.
 *
 * @returns a line for each webhook with a delivery that n8n did not accept
 */
export async function rejectedDeliveries(
	model: Model,
	{ deliveries, webhooks }: Pick<Registered, 'webhooks'> & { deliveries: Deliveries },
): Promise<string[]> {
	const responses = new Map<string, Array<string | number>>();
	for (const type of ACTIVITY_TYPES) {
		for (const { hookId, status, error } of await deliveries.send(type)) {
			responses.set(hookId, [...(responses.get(hookId) ?? []), status ?? error ?? 'no response']);
		}
	}
	return ownOf(model, webhooks)
		.filter(({ _id }) => !(responses.get(_id) ?? [0]).every((response) => response === 200))
		.map((webhook) => {
			const response = responses.get(webhook._id)?.join(', ') ?? 'no delivery';
			return `not accepted (${response}): ${text(asExpected(webhook))}`;
		});
}
