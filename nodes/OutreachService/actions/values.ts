/**
 * The schemas of the operations' parameters. Each message tells the user what is wrong with a value. They are here, and
 * not beside the operations, because n8n loads those when it starts.
 */
import { z } from 'zod';

import { campaignIdSchema } from '../model/campaignId';
import { meantBy, replacementOf } from '../model/eventCorrections';

const LONGEST_URL = 2_000;
const LONGEST_SECRET = 500;
const LONGEST_ID = 100;

const NO_TEXT = { required_error: 'It is empty', invalid_type_error: 'It must be text' };

const shortText = (longest: number) =>
	z.string(NO_TEXT).trim().max(longest, `It has more than ${longest} characters`);

/** Expressions and AI models often return numbers and booleans as text; an empty text counts as not set. */
const fromText = (read: (text: string) => unknown) => (given: unknown) =>
	typeof given === 'string' ? read(given.trim()) : (given ?? undefined);

/** A whole number from `min`, also as text. */
export const wholeNumber = (min: number) =>
	z.preprocess(
		fromText((text) => (/^-?\d+$/.test(text) ? Number(text) : text || undefined)),
		z
			.number({ message: 'It must be a number' })
			.int('It must be a whole number')
			.min(min, `It must be at least ${min}`)
			.max(Number.MAX_SAFE_INTEGER, 'It is too large')
			.optional(),
	);

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

/** True or false, also as text. */
export const truth = z.preprocess(
	fromText((text) =>
		Object.hasOwn(BOOLEANS, text.toLowerCase()) ? BOOLEANS[text.toLowerCase()] : text || undefined,
	),
	z.boolean({ message: 'It must be true or false' }).optional(),
);

/** One of several values; undefined when it is empty. */
export const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
	z.preprocess(
		fromText((text) => text || undefined),
		z.enum(values, { message: `It must be one of: ${values.join(', ')}` }).optional(),
	);

/** A host and a path, with a scheme that is missing or misspelled. A query could hold a secret. */
const WITHOUT_SCHEME =
	/^(?:h?t+ps?:?\/+|\/\/)?((?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?(?:\/[\w./~-]*)?)$/i;

/** What somebody meant who left out or misspelled `https://`. */
function meantUrl(url: string): string | undefined {
	const rest = WITHOUT_SCHEME.exec(url)?.[1];
	return rest === undefined ? undefined : `https://${rest}`;
}

/** A URL that the service can post to (§4.2). */
export const urlSchema = shortText(LONGEST_URL)
	.min(1, 'It is empty')
	.superRefine((url, context) => {
		if (/^https?:\/\//i.test(url)) return;
		const meant = meantUrl(url);
		const correction = meant === undefined ? '' : `. Did you mean ${meant}?`;
		const message = `It must begin with http:// or https://${correction}`;
		context.addIssue({ code: 'custom', message });
	})
	// An expression for the host that returns nothing leaves 'https:///in', which would be the host 'in'.
	.refine((url) => !/^https?:\/\/[/?#.]/i.test(url), 'It has no host')
	.refine((url) => URL.canParse(url) && !/\s/.test(url), 'It is not a valid URL');

/** @param meant the type that somebody misspelled */
export const misspelledAs = (meant: string): string =>
	`It is not an event type of the service. Did you mean '${meant}'?`;

/** An event type or `*`; removed types are rejected with their replacement (§6.2, D12). */
export const eventSchema = shortText(LONGEST_ID)
	.min(1, 'It is empty')
	.refine(
		(type) => /^(\*|[\w.:-]+)$/.test(type),
		"It must be an event type such as emailsReplied, or '*' for all events",
	)
	.superRefine((type, context) => {
		const meant = meantBy(type);
		if (meant !== undefined) {
			context.addIssue({ code: 'custom', message: misspelledAs(meant) });
		}
		const replacement = replacementOf(type);
		if (replacement === undefined) return;
		context.addIssue({
			code: 'custom',
			message: `The service no longer has '${type}'. ${replacement}`,
		});
	});

/** A secret is sent as it is: a space copied with it would make the receiver reject it. */
export const secretSchema = z
	.string(NO_TEXT)
	.max(LONGEST_SECRET, `It has more than ${LONGEST_SECRET} characters`)
	.refine((secret) => secret === secret.trim(), 'It begins or ends with a space or a line break');

const IS_ID = /^[\w-]{1,100}$/;
const IS_WEBHOOK_ID = /^hoo_[\w-]{1,96}$/;

/** The ID of a webhook, also inside a pasted URL such as `https://api.example.com/api/hooks/hoo_1` (§2.1). */
export const webhookIdSchema = shortText(LONGEST_URL)
	.min(1, 'It is empty')
	.transform(
		(given) => /^https?:\/\/[^?#]*\/hooks\/([^/?#]+)\/?(?:[?#].*)?$/i.exec(given)?.[1] ?? given,
	)
	.superRefine((id, context) => {
		if (IS_ID.test(id)) return;
		const meant = id.replace(/[\s\u200b\ufeff]+/g, '');
		const correction = IS_WEBHOOK_ID.test(meant) ? `. Did you mean ${meant}?` : '';
		const message = `It must be an ID such as hoo_4fT9x or the API URL of a webhook${correction}`;
		context.addIssue({ code: 'custom', message });
	});

/** What is left empty in the editor is not set. */
const orUnset = <T extends z.ZodTypeAny>(schema: T) =>
	z.preprocess(
		(given) => (typeof given === 'string' && given.trim() === '' ? undefined : given),
		schema.optional(),
	);

export const filtersSchema = z.object({
	event: orUnset(shortText(LONGEST_ID)),
	campaignId: orUnset(campaignIdSchema),
	targetUrl: orUnset(shortText(LONGEST_URL)),
});

export type Filters = z.output<typeof filtersSchema>;

/** What *Create* can set besides the URL and the event (§4.2). */
export const additionalFieldsSchema = z.object({
	campaignId: orUnset(campaignIdSchema),
	isFirst: truth,
	secret: secretSchema.optional(),
	toolLinkId: wholeNumber(0),
});

/** The value that stands for the event of the webhook itself. */
export const OWN_EVENT = 'own';

/** The event of a new webhook. Another operation of the node can have left its own value in the field. */
export const newEventSchema = eventSchema.refine(
	(type) => type !== OWN_EVENT,
	"Choose an event, or 'All Events'",
);

/** What is left empty, as AI models do, is the webhook's own. */
export const eventOrOwnSchema = z.preprocess(
	(given) => given || undefined,
	eventSchema.default(OWN_EVENT),
);

/** What the items of *Get* look like. */
export const schemaOutputSchema = choice(['raw', 'fields', 'jsonSchema']);

/** What *Compare* compares the people schema with. */
export const baselineSchema = choice(['documented', 'custom']);
