import { isDeepStrictEqual } from 'node:util';
import type { HookView } from '../service';
import { ACTIVITY_TYPES } from './events';
import { ownOf, type Model, type WorkflowModel } from './model';
import { hooksFor, type ExpectedHook } from './settings';
import type { World } from './world';

/** All webhooks that the model demands of these workflows; none of a test run. */
export function expectedHooks(
	model: Model,
	world: World,
	isMeant: (workflow: WorkflowModel) => boolean = () => true,
): ExpectedHook[] {
	return model.workflows.flatMap((workflow, place) =>
		workflow.active && isMeant(workflow)
			? workflow.settings.flatMap((one, node) =>
					hooksFor(one, world.workflow(place).triggers[node]?.address ?? ''),
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
}: ExpectedHook & { disabled?: boolean }) =>
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

/** Whether a webhook is in force, and has the settings that it must have. */
export const isAsExpected = (hook: HookView, expected: ExpectedHook): boolean =>
	text(asExpected(hook)) === text(expected);

/** What is in `these` and not in `those`; each counts as often as it is there. */
function without(these: string[], those: string[]): string[] {
	const rest = [...those];
	return these.filter((one) => {
		const place = rest.indexOf(one);
		if (place >= 0) rest.splice(place, 1);
		return place < 0;
	});
}

/** Where the service's webhooks differ from the model's; a line for each difference. */
export function differences(model: Model, world: World): string[] {
	const { hooks } = world;
	const own = ownOf(model, hooks).map((hook) => text(asExpected(hook)));
	const expected = expectedHooks(model, world).map(text);
	const touched = model.foreign.filter(
		(hook) => !hooks.some((other) => isDeepStrictEqual(hook, other)),
	);
	return [
		...without(expected, own).map((hook) => `missing: ${hook}`),
		...without(own, expected).map((hook) => `too many: ${hook}`),
		...touched.map(({ targetUrl }) => `somebody else's, touched: ${targetUrl}`),
	];
}

/**
 * Has activities delivered until each webhook of ours had one.
 * @returns a line for each webhook whose delivery n8n did not take
 */
export async function refused(model: Model, { deliveries, hooks }: World): Promise<string[]> {
	const responses = new Map<string, Array<string | number>>();
	for (const type of ACTIVITY_TYPES) {
		for (const { hookId, status, error } of await deliveries.send(type)) {
			responses.set(hookId, [...(responses.get(hookId) ?? []), status ?? error ?? 'no response']);
		}
	}
	return ownOf(model, hooks)
		.filter(({ _id }) => !(responses.get(_id) ?? [0]).every((response) => response === 200))
		.map((hook) => {
			const response = responses.get(hook._id)?.join(', ') ?? 'nothing was sent';
			return `not taken (${response}): ${text(asExpected(hook))}`;
		});
}
