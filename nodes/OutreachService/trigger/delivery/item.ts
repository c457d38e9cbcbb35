/** The item that an event becomes: `webhook()` makes it, and `execute()` reads it. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { z } from 'zod';

import { activitySchema } from '../../domain/activity';
import type { Sample } from '../../domain/sample';
import type { DuplicateMemory, Selection } from '../../parameters/selection';
import { newDeliveryName } from '../execution/recordedActivities';
import { chosenActivity, type ChosenActivity } from './chosenActivity';
import { grouped } from './grouped';

/**
 * An item, with what `execute()` needs to know beside its JSON. n8n stores all of it with the execution, and a retry reads it
 * again: these names can never change.
 */
type TriggerItem = INodeExecutionData & {
	/** The chosen event, if each has an output of its own. */
	event?: string;
	/** The name of the delivery, if n8n's database remembers its activity: see `newDeliveryName`. */
	delivery?: string;
};

/** The JSON of an item in each data format. */
const FORMATS: Readonly<Record<Selection['dataFormat'], (chosen: ChosenActivity) => IDataObject>> =
	{
		activity: ({ json }) => json,
		grouped,
	};

/** The item of an activity, in the chosen data format. */
export function itemOf(
	chosen: ChosenActivity,
	{ dataFormat, outputs }: Selection,
	memory: DuplicateMemory,
): INodeExecutionData {
	const item: TriggerItem = { json: FORMATS[dataFormat](chosen) };
	if (outputs === 'perEvent') item.event = chosen.event;
	if (memory === 'database') item.delivery = newDeliveryName(chosen.eventKey);
	return item;
}

/** The item of a sample that starts the workflow together with the one that was delivered. */
export function itemOfSample({ event, json }: Sample, selection: Selection): INodeExecutionData {
	return itemOf(chosenActivity(event, activitySchema.parse(json), json), selection, 'off');
}

const text = z.string().optional().catch(undefined);

/** Separates an item from what `webhook()` has put beside its JSON. n8n's type allows anything there; only a text counts. */
export const readItem = ({ event, delivery, ...item }: INodeExecutionData) => ({
	item,
	event: text.parse(event),
	deliveryName: text.parse(delivery),
});
