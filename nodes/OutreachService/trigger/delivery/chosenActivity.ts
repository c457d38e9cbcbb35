/** An activity that is to start the workflow. */
import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { Activity } from '../../domain/activity';
import { eventKeyOf } from '../../runtime/duplicates';
import { settleSync } from '../../utils/settle';

/** An activity that is to start the workflow, for one of the chosen events. */
export type ChosenActivity = {
	/** The chosen event for which it was delivered, such as a lead state. */
	event: string;
	/** Its documented fields. */
	activity: Activity;
	/** All that was delivered, without the secret. */
	json: IDataObject;
	/** See `eventKeyOf`. */
	eventKey: string;
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
	return { event, activity, json, eventKey: eventKeyOf(event, type, id ?? contentOf(json)) };
}
