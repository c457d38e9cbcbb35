import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { eventName } from '../../model/eventOptions';
import { jsonObjectSchema } from '../../model/schemas';
import { activityFieldsSchema } from './output';

/** n8n cuts longer values. */
const LONGEST_VALUE = 255;

/** The activity of an item, whichever output the node has. */
const activityIn = ({ json }: INodeExecutionData): IDataObject =>
	jsonObjectSchema.safeParse(json.activity).data ?? json;

/** Different values in one text, as many as n8n keeps whole; empty without any. */
function joined(values: Array<string | null>): string {
	let text = '';
	for (const one of new Set(values)) {
		if (!one) continue;
		const longer = text === '' ? one : `${text}, ${one}`;
		if (longer.length > LONGEST_VALUE) break;
		text = longer;
	}
	return text;
}

/**
 * Stores the leads' emails, the events and the campaigns of a run as n8n's highlighted data, by which the list of
 * executions can be searched.
 */
export function highlight(ctx: IExecuteFunctions, items: readonly INodeExecutionData[]): void {
	const activities = items.map((item) => activityFieldsSchema.parse(activityIn(item)));
	const data = {
		leadEmail: joined(activities.map(({ leadEmail }) => leadEmail)),
		event: joined(activities.map(({ type }) => type && eventName(type))),
		campaign: joined(activities.map(({ campaignName, campaignId }) => campaignName ?? campaignId)),
	};
	for (const [key, value] of Object.entries(data)) if (value !== '') ctx.customData.set(key, value);
}
