import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { HookView } from '../service';
import { ACTIVITY_TYPES } from './events';
import type { Model } from './model';
import { hooksFor, type ExpectedHook } from './settings';
import type { World } from './world';

/** All webhooks that the model demands; none of a test run. */
function expectedHooks(model: Model, world: World): ExpectedHook[] {
	return model.workflows.flatMap(({ active, settings }, workflow) =>
		active
			? settings.flatMap((one, node) =>
					hooksFor(one, world.workflow(workflow).triggers[node]?.address ?? ''),
				)
			: [],
	);
}

const text = ({
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
	const foreign = new Set(model.foreign.map(({ _id }) => _id));
	const own = hooks.filter(({ _id }) => !foreign.has(_id)).map((hook) => text(asExpected(hook)));
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
export async function unbelieved(model: Model, { host, team, hooks }: World): Promise<string[]> {
	const foreign = new Set(model.foreign.map(({ _id }) => _id));
	const own = hooks.filter(({ _id }) => !foreign.has(_id));
	const answers = new Map<string, Array<string | number>>();
	for (const type of ACTIVITY_TYPES) {
		const attempts = await host.service.emit({
			_id: `act_${randomUUID().replaceAll('-', '')}`,
			createdAt: new Date().toISOString(),
			teamId: team,
			campaignId: 'cam_chaos',
			leadId: `lea_${randomUUID()}`,
			type,
		});
		for (const { hookId, status, error } of attempts) {
			answers.set(hookId, [...(answers.get(hookId) ?? []), status ?? error ?? 'no answer']);
		}
	}
	return own
		.filter(({ _id }) => !(answers.get(_id) ?? [0]).every((answer) => answer === 200))
		.map((hook) => {
			const answer = answers.get(hook._id)?.join(', ') ?? 'nothing was sent';
			return `not believed (${answer}): ${text(asExpected(hook))}`;
		});
}
