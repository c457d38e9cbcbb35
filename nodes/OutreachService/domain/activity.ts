/** The fields of an activity (§2.3), and the groups of *Data Format: Grouped*. */
import { z } from 'zod';

import { booleanOf } from '../utils/boolean';
import { isoDateOf } from '../utils/date';
import { isJsonObject } from '../utils/json';

/** The maximum number of recipients of each kind that are read: checking a million of them would block n8n for seconds. */
const MAX_RECIPIENTS = 1_000;

/**
 * A text without the spaces around it; null for a blank one. An ID may come as a number, but JavaScript cannot tell integers
 * apart that are larger than the safe ones: these count as absent.
 */
function textOf(value: unknown): string | null {
	if (Number.isSafeInteger(value)) return String(value);
	const trimmed = typeof value === 'string' ? value.trim() : '';
	return trimmed === '' ? null : trimmed;
}

/** The ID of something that an activity refers to. A service may send the thing itself in place of its ID. */
const referenceOf = (value: unknown): string | null =>
	textOf(isJsonObject(value) ? (value._id ?? value.id) : value);

/** A date in ISO 8601 and UTC; null for what is not one. One without a time zone is in UTC, as those of the API are (§2.3). */
const dateOf = (value: unknown): string | null => isoDateOf(value, 'UTC') ?? null;

/** A number, which may come as text; null for anything else. */
function numberOf(value: unknown): number | null {
	const isNumeral = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value);
	const converted = isNumeral ? Number(value) : value;
	// JSON has larger numbers than JavaScript, which reads them as infinite.
	return typeof converted === 'number' && Number.isFinite(converted) ? converted : null;
}

const isTrue = (value: unknown): boolean => booleanOf(value) === true;

/** The recipients of an email (§2.4): what has an address. */
const recipientsOf = (value: unknown): unknown[] =>
	Array.isArray(value)
		? value
				.filter((one) => isJsonObject(one) && typeof one.address === 'string')
				.slice(0, MAX_RECIPIENTS)
		: [];

/**
 * What a field is, and how it is read. A number or a boolean may come as text, and an ID as a number or inside an object (D89); a value
 * of any other type counts as absent. A text that is absent or blank is null, so that every event type gives the same keys.
 */
const text = z.preprocess(textOf, z.string().nullable());
const reference = z.preprocess(referenceOf, z.string().nullable());
const date = z.preprocess(dateOf, z.string().nullable());
const number = z.preprocess(numberOf, z.number().nullable());
const boolean = z.preprocess(isTrue, z.boolean());
const recipients = z.preprocess(
	recipientsOf,
	z.array(z.object({ address: z.string(), name: z.string().catch('') }).passthrough()),
);

/** Reads the documented fields of an activity (§2.3), which may have others. */
export const activitySchema = z.object({
	_id: text,
	type: text,
	createdAt: date,
	teamId: reference,
	isThirdPartyReply: boolean,
	campaignId: reference,
	campaignName: text,
	sequenceId: reference,
	sequenceStep: number,
	leadId: reference,
	leadEmail: text,
	leadFirstName: text,
	leadLastName: text,
	sendUserId: reference,
	sendUserEmail: text,
	sendUserName: text,
	subject: text,
	to: recipients,
	cc: recipients,
	bcc: recipients,
});

/** The documented fields of an activity, as they are read. */
export type Activity = z.infer<typeof activitySchema>;

/** The names of the documented fields. */
export const ACTIVITY_FIELDS = Object.keys(activitySchema.shape);

/** The groups of *Data Format: Grouped*, and the field of the activity that each of their fields shows. */
export const GROUPS = {
	event: {
		id: '_id',
		type: 'type',
		createdAt: 'createdAt',
		teamId: 'teamId',
		isThirdPartyReply: 'isThirdPartyReply',
	},
	lead: {
		id: 'leadId',
		email: 'leadEmail',
		firstName: 'leadFirstName',
		lastName: 'leadLastName',
	},
	campaign: { id: 'campaignId', name: 'campaignName' },
	sequence: { id: 'sequenceId', step: 'sequenceStep' },
	sender: { id: 'sendUserId', email: 'sendUserEmail', name: 'sendUserName' },
	email: { subject: 'subject', to: 'to', cc: 'cc', bcc: 'bcc' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, keyof Activity>>>>;

/** The fields of the group `event` that the node adds: no activity has them. */
export const ADDED_EVENT_FIELDS = ['summary', 'label', 'channel', 'key', 'subscription'] as const;

/** Identifies the lead of an activity (D76): by ID, or else by email address; undefined when it names none. */
export function leadOf({ leadId, leadEmail }: Activity): string | undefined {
	if (leadId !== null) return `id ${leadId}`;
	return leadEmail === null ? undefined : `email ${leadEmail.toLowerCase()}`;
}
