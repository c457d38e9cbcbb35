/** An activity that is to start the workflow. */
import { createHash, randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { Activity } from '../../domain/activity';
import { SAMPLE_ID } from '../../domain/sample';
import { settleSync } from '../../utils/settle';

/** An activity that is to start the workflow, for one of the chosen events. */
export type ChosenActivity = {
	/** The chosen event for which it was delivered, such as a lead state. */
	event: string;
	/** Its documented fields. */
	activity: Activity;
	/** All that was delivered, without the secret. */
	json: IDataObject;
	/** See {@link eventKeyOf}. */
	eventKey: string;
};

/**
 * Identifies an activity together with the event for which it was delivered: a hash of the event, the type and the ID, which
 * come from outside and may be megabytes long. The key is the same in every process and for every copy, and workflows use
 * it as an idempotency key (D77): how it is made can never change. The key of a sample begins with `sample-`.
 * @param event the chosen event
 * @param id the ID of the activity; without one, its JSON
 */
export function eventKeyOf(event: string, type: string | null, id: string): string {
	const hash = createHash('sha256')
		.update(JSON.stringify([event, type]))
		.update(`\n${id}`);
	const key = hash.digest().subarray(0, 16).toString('base64url');
	return id.startsWith(SAMPLE_ID) ? `sample-${key}` : key;
}

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
