import { z } from 'zod';

/** A switch with these values, the default first. */
const oneOf = <const Values extends readonly [string, ...string[]]>(
	values: Values,
	text: string,
) => {
	const type = z.enum(values);
	return type.default(() => type.options[0]).describe(text);
};

const whole = (initial: number, text: string, min = 0) =>
	z.number().int().min(min).max(10_000_000).default(initial).describe(text);

const status = (initial: number, text: string) =>
	z.number().int().min(200).max(599).default(initial).describe(text);

/**
 * What the API leaves open, in the order of its sections. For each switch: what it accepts, the plainest reading of the
 * API as its default, and what it decides, for `--help` and the docs.
 */
const shape = {
	createStatus: status(200, '§4.2: status of a successful POST /hooks; 204 has no body'),
	deleteBody: oneOf(
		['hook', 'empty'],
		'§4.3: the body of the response to a successful DELETE: the deleted webhook, or none',
	),
	emptyList: oneOf(
		['list', 'notFound'],
		'§4.1, §7: the response of GET /hooks if there are no webhooks: an empty list, or Webhook not found',
	),
	notFoundStatus: status(404, '§7: status of Webhook not found'),
	unknownTypes: oneOf(['refuse', 'accept'], '§6.1, §9: event types that the API does not list'),
	targetUrlForm: oneOf(
		['asSent', 'normalized'],
		'§4.2: how a targetUrl is stored: as sent, or normalized (host in lower case, query sorted and so on)',
	),
	hookUrls: oneOf(
		['shared', 'oncePerTeam', 'replace', 'update'],
		'§4.2: what a POST with the targetUrl of another webhook of the team does: adds one (shared), gets a 409 (oncePerTeam), replaces that one, or updates it in place and keeps its _id',
	),
	listShape: oneOf(
		['list', 'hooks'],
		'§4.1: whether GET /hooks returns a list, or an object with the list in hooks',
	),
	listPageSize: whole(
		0,
		'§4.1: how many webhooks GET /hooks returns at most, the oldest first, as a service that pages its list; 0 for all',
	),
	listDelayMs: whole(
		0,
		'§4.1: how old the list is that GET /hooks returns, in milliseconds, as a service that caches it',
	),
	maxHooks: whole(
		0,
		'§8.4: maximum number of webhooks per team, after which creating one is a 400; 0 for no limit',
	),
	rateLimit: oneOf(['sliding', 'off'], '§8.1: whether requests are counted, in a sliding window'),
	rateLimitRequests: whole(20, '§8.1: requests per window and API key'),
	rateLimitWindowMs: whole(2000, '§8.1: window length in milliseconds', 1),
	schemaShape: oneOf(
		['jsonSchema', 'map', 'sample'],
		'§4.4: how GET /schema/people describes the fields',
	),
	schemaFields: oneOf(
		['documented', 'changed'],
		'§9.2: the documented fields, or with one added, one removed and one of another type',
	),
	deliveryTimeoutMs: whole(10_000, '§6.7: time-out of a delivery in milliseconds', 1),
	disconnectEvery: whole(
		0,
		'§6.7: every how many first attempts one disconnects after half a second, without waiting for the response; 0 for none',
	),
	redeliveries: whole(0, '§6.7: number of retries after a failed attempt'),
	redeliveryDelayMs: whole(1000, '§6.7: delay before a retry in milliseconds'),
	redeliverOn: oneOf(
		['notOk', 'serverError'],
		'§6.7: what is retried: anything but a 2xx, or only a 5xx and no response',
	),
} satisfies Record<string, z.ZodDefault<z.ZodEnum<[string, ...string[]]> | z.ZodNumber>>;

const switchesSchema = z.strictObject(shape);

/** A complete set of switches. */
export type Switches = z.infer<typeof switchesSchema>;

/** Switches to set. A field that is undefined leaves its switch unchanged. */
export type SwitchChanges = { [Name in keyof Switches]?: Switches[Name] | undefined };

export const DEFAULT_SWITCHES: Switches = switchesSchema.parse({});

/**
 * Returns `current` with `changes` applied.
 * @throws ZodError for an unknown switch or an invalid value
 */
export function changeSwitches(current: Switches, changes: object): Switches {
	const given = Object.entries(changes).filter(([, value]) => value !== undefined);
	return switchesSchema.parse({ ...current, ...Object.fromEntries(given) });
}

/** The switches as `--help` shows them: their values, if they are not a number, their default and what they decide. */
export const SWITCHES = switchesSchema.keyof().options.map((name) => {
	const field = switchesSchema.shape[name];
	const type = field.removeDefault();
	return {
		name,
		values: type instanceof z.ZodEnum ? type.options : undefined,
		initial: DEFAULT_SWITCHES[name],
		text: field.description ?? '',
	};
});
