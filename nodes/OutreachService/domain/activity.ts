/** The fields of an activity (§2.3), and the groups of *Data Format: Grouped*. */
import type { IDataObject } from 'n8n-workflow';
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

/** A recipient of an email (§2.4), which may have other fields. */
type Recipient = IDataObject & { address: string; name: string };

const isRecipient = (value: unknown): value is IDataObject & { address: string } =>
	isJsonObject(value) && typeof value.address === 'string';

function recipientsOf(value: unknown): Recipient[] {
	if (!Array.isArray(value)) return [];
	return value
		.filter(isRecipient)
		.slice(0, MAX_RECIPIENTS)
		.map((recipient) => ({
			...recipient,
			name: typeof recipient.name === 'string' ? recipient.name : '',
		}));
}

/** A text without spaces around it. It is null if it is absent or blank, so that every event type gives the same keys. */
const text = z.string().min(1).nullable();
/** ISO 8601. */
const date = z.string().min(1).nullable();
const number = z.number().nullable();
const boolean = z.boolean();
const recipients = z.array(z.object({ address: z.string(), name: z.string() }).passthrough());

/** The documented fields of an activity (§2.3). */
export const activityFields = z.object({
	_id: text,
	type: text,
	createdAt: date,
	teamId: text,
	isThirdPartyReply: boolean,
	campaignId: text,
	campaignName: text,
	sequenceId: text,
	sequenceStep: number,
	leadId: text,
	leadEmail: text,
	leadFirstName: text,
	leadLastName: text,
	sendUserId: text,
	sendUserEmail: text,
	sendUserName: text,
	subject: text,
	to: recipients,
	cc: recipients,
	bcc: recipients,
});

/** The documented fields of an activity, as they are read. */
export type Activity = z.infer<typeof activityFields>;

/**
 * How each field is read. A number or a boolean may come as text, and an ID as a number or inside an object (D89); a value of any
 * other type counts as absent. zod's own conversions would take four times as long.
 */
const READERS: { readonly [Field in keyof Activity]: (value: unknown) => Activity[Field] } = {
	_id: textOf,
	type: textOf,
	createdAt: dateOf,
	teamId: referenceOf,
	isThirdPartyReply: isTrue,
	campaignId: referenceOf,
	campaignName: textOf,
	sequenceId: referenceOf,
	sequenceStep: numberOf,
	leadId: referenceOf,
	leadEmail: textOf,
	leadFirstName: textOf,
	leadLastName: textOf,
	sendUserId: referenceOf,
	sendUserEmail: textOf,
	sendUserName: textOf,
	subject: textOf,
	to: recipientsOf,
	cc: recipientsOf,
	bcc: recipientsOf,
};

const FIELDS = Object.entries(READERS);

/** Reads the documented fields of an activity, which may have others. */
export const activitySchema = z.preprocess(
	(delivered) =>
		isJsonObject(delivered)
			? Object.fromEntries(FIELDS.map(([name, read]) => [name, read(delivered[name])]))
			: delivered,
	activityFields,
);

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
