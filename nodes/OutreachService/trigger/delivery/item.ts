/** The item that an event becomes. */
import { randomUUID } from 'crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { activitySchema, type Activity } from '../../domain/activity';
import type { Sample } from '../../domain/sample';
import type { Selection } from '../../parameters/selection';
import { eventKey } from '../../runtime/duplicates';
import { settleSync } from '../../utils/settle';
import { grouped } from './grouped';

/** An activity that is to start the workflow, for one of the chosen events. */
export type ChosenActivity = {
	/** The chosen event for which it was delivered. */
	event: string;
	/** Its documented fields. */
	activity: Activity;
	/** All that was delivered, without the secret. */
	json: IDataObject;
	/** See `eventKey`. */
	key: string;
};

/** Identifies an activity without an ID: its JSON, or a random text if it is nested too deep to be written as JSON. */
function contentOf(json: IDataObject): string {
	const written = settleSync(() => JSON.stringify(json));
	return written.ok ? written.value : randomUUID();
}

/** @param json all that was delivered, without the secret */
export function chosenActivity(
	event: string,
	activity: Activity,
	json: IDataObject,
): ChosenActivity {
	const { _id: id, type } = activity;
	return { event, activity, json, key: eventKey(event, type, id ?? contentOf(json)) };
}

/** The item of an activity, in the chosen data format. Beside its JSON, it has what `execute()` of the trigger reads. */
export function itemOf(
	{ event, json, key }: ChosenActivity,
	{ output, outputs }: Selection,
): INodeExecutionData {
	const item: INodeExecutionData = {
		json: output === 'grouped' ? grouped(json, event, key) : json,
	};
	// With an output for each event, this tells `execute()` at which one the item comes out.
	if (outputs === 'perEvent') item.event = event;
	return item;
}

/** The item of a sample that starts the workflow together with the one that was delivered. */
export const itemOfSample = (
	{ event, activity }: Sample,
	selection: Selection,
): INodeExecutionData =>
	itemOf(chosenActivity(event, activitySchema.parse(activity), activity), selection);
