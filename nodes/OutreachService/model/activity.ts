import { z } from 'zod';

import { isJsonObject } from './schemas';
import { truth } from './written';

/** The maximum number of recipients of each kind that are read: checking a million of them would block n8n for seconds. */
const MAX_RECIPIENTS = 1_000;

/** An ID may come as a number. JavaScript cannot tell two integers apart that are larger than the safe ones. */
const textOf = (value: unknown): unknown => {
	if (Number.isSafeInteger(value)) return String(value);
	return typeof value === 'string' ? value.trim() : value;
};

/** No date is longer. */
const LONGEST_DATE = 100;

/** Converts what JavaScript writes for a date, such as `Tue Mar 03 2026 09:02:42 GMT+0100`, if it names its time zone. */
function isoDateOf(value: unknown): unknown {
	const text = textOf(value);
	if (typeof text !== 'string' || text.length > LONGEST_DATE) return undefined;
	if (/^\d{4}-\d{2}-\d{2}/.test(text)) return text;
	const date = new Date(text);
	const hasZone = /\b(GMT|UTC)|[+-]\d{2}:?\d{2}\b/.test(text);
	return hasZone && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined;
}

function numberOf(value: unknown): unknown {
	const isNumeral = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value);
	const number = isNumeral ? Number(value) : value;
	// JSON has larger numbers than JavaScript, which reads them as infinite.
	return Number.isFinite(number) ? number : undefined;
}

/** Without spaces around it. Null when it is absent or blank, so that every event type gives the same keys. */
const text = z.preprocess(textOf, z.string().min(1)).nullable().catch(null);

/** ISO 8601. */
const date = z.preprocess(isoDateOf, z.string().min(1)).nullable().catch(null);

const number = z.preprocess(numberOf, z.number()).nullable().catch(null);

const isRecipient = (one: unknown) => isJsonObject(one) && typeof one.address === 'string';

const recipients = z.preprocess(
	// The schema of a list would take a minute for millions of wrong entries.
	(list): unknown => (Array.isArray(list) ? list.filter(isRecipient).slice(0, MAX_RECIPIENTS) : []),
	z.array(z.object({ address: z.string(), name: z.string().catch('') }).passthrough()),
);

/**
 * The documented fields of an activity (§2.3); it may have others. A number or a boolean may come as text, and an ID as a
 * number (D89). One of any other type counts as absent.
 */
export const activitySchema = z.object({
	_id: text,
	type: text,
	createdAt: date,
	teamId: text,
	isThirdPartyReply: truth.catch(false),
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

export type Activity = z.infer<typeof activitySchema>;

/** The groups of *Output: Grouped*, and the field of the activity that each of their fields shows. */
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
