import { z } from 'zod';

const wholeNumber = z.number().int().min(0).max(10_000_000);
const httpStatus = z.number().int().min(200).max(599);

/**
 * Everything that the API spec leaves open, in the order of its sections: what each switch accepts, the plainest reading
 * of the spec as its default, and what it decides, for `--help`, the control page and the docs.
 */
const switchesSchema = z.strictObject({
	createParameters: z
		.enum(['both', 'query', 'body'])
		.default('both')
		.describe(
			'§4.2: where POST /hooks reads campaignId, isFirst and toolLinkId; with both, the body takes precedence',
		),
	createStatus: httpStatus
		.default(200)
		.describe('§4.2: status of a successful POST /hooks; 204 has no body'),
	deleteStatus: httpStatus
		.default(200)
		.describe('§4.3: status of a successful DELETE; 204 has no body'),
	deleteBody: z
		.enum(['hook', 'empty'])
		.default('hook')
		.describe(
			'§4.3: the body of the response to a successful DELETE: the deleted webhook, or none',
		),
	createdAtForm: z
		.enum(['zone', 'noZone', 'absent'])
		.default('zone')
		.describe('§2.1: the form of createdAt: with a time zone, without one (still UTC), or absent'),
	emptyList: z
		.enum(['list', 'notFound'])
		.default('list')
		.describe(
			'§4.1, §7: the response of GET /hooks if there are no webhooks: an empty list, or Webhook not found',
		),
	badTeamStatus: httpStatus.default(400).describe('§7: status of Bad team'),
	notFoundStatus: httpStatus.default(404).describe('§7: status of Webhook not found'),
	unknownTypes: z
		.enum(['refuse', 'accept'])
		.default('refuse')
		.describe('§6.1, §9: event types that the API spec does not list'),
	targetUrlForm: z
		.enum(['asSent', 'normalized'])
		.default('asSent')
		.describe(
			'§4.2: how a targetUrl is stored: as sent, or normalized (host in lower case and so on)',
		),
	hookUrls: z
		.enum(['shared', 'oncePerTeam', 'oncePerType'])
		.default('shared')
		.describe(
			'§4.2: whether webhooks can share a targetUrl: always, never, or with different types',
		),
	duplicateStatus: httpStatus
		.default(409)
		.describe('§4.2: status if a targetUrl is already in use and cannot be shared'),
	maxHooks: wholeNumber
		.default(0)
		.describe(
			'§8.4: maximum number of webhooks per team, after which creating one is a 400; 0 for no limit',
		),
	rateLimit: z
		.enum(['sliding', 'fixed', 'off'])
		.default('sliding')
		.describe(
			'§8.1: how requests are counted: in a sliding window, in windows that start with a request, or not',
		),
	rateLimitRequests: wholeNumber.default(20).describe('§8.1: requests per window and API key'),
	rateLimitWindowMs: wholeNumber
		.min(1)
		.default(2000)
		.describe('§8.1: window length in milliseconds'),
	retryAfter: z
		.enum(['refusals', 'always', 'never'])
		.default('refusals')
		.describe('§8.2: which responses carry Retry-After'),
	rateLimitHeaders: z
		.enum(['always', 'refusals', 'never'])
		.default('always')
		.describe('§8.2: which responses carry the X-RateLimit headers'),
	schemaShape: z
		.enum(['jsonSchema', 'properties', 'map', 'list', 'sample'])
		.default('jsonSchema')
		.describe('§4.4: how GET /schema/people describes the fields'),
	schemaEnvelope: z
		.enum(['none', 'schema'])
		.default('none')
		.describe('§4.4: whether the schema is wrapped as { schema, version }'),
	schemaFields: z
		.enum(['documented', 'changed'])
		.default('documented')
		.describe(
			'§9.2: the documented fields, or with one added, one removed and one of another type',
		),
	campaignFilter: z
		.enum(['apply', 'ignore'])
		.default('apply')
		.describe(
			'§6.3.2: whether a webhook with a campaign receives only the events of that campaign',
		),
	isFirstScope: z
		.enum(['lead', 'hook', 'ignore'])
		.default('lead')
		.describe(
			'§2.1: what isFirst means: the first event of each lead in each campaign, the first of the webhook, or nothing',
		),
	groupDeliveryType: z
		.enum(['activity', 'group'])
		.default('activity')
		.describe(
			'§6.1: the type in a delivery to a webhook for a state group: that of the activity, or the group',
		),
	deliveryTimeoutMs: wholeNumber
		.min(1)
		.default(10_000)
		.describe('§6.7: timeout of a delivery in milliseconds'),
	disconnectShare: z
		.number()
		.min(0)
		.max(1)
		.default(0)
		.describe(
			'§6.7: share (0 to 1) of first attempts that disconnect after half a second, without waiting for the response',
		),
	redeliveries: wholeNumber.default(0).describe('§6.7: number of retries after a failed attempt'),
	redeliveryDelayMs: wholeNumber
		.default(1000)
		.describe('§6.7: delay before the first retry in milliseconds'),
	redeliveryFactor: z
		.number()
		.min(1)
		.max(10)
		.default(2)
		.describe('§6.7: factor by which the delay grows with each retry'),
	redeliverOn: z
		.enum(['notOk', 'serverError', 'noResponse'])
		.default('notOk')
		.describe(
			'§6.7: what is retried: anything but a 2xx, a 5xx or no response, or only no response',
		),
});

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

/** A switch as forms, help and docs show it. */
export interface SwitchView {
	name: keyof Switches;
	/** The values to choose from; undefined for a number. */
	values: readonly string[] | undefined;
	initial: string | number;
	text: string;
}

export const SWITCHES: readonly SwitchView[] = switchesSchema.keyof().options.map((name) => {
	const field = switchesSchema.shape[name];
	const type = field.removeDefault();
	return {
		name,
		values: type instanceof z.ZodEnum ? type.options : undefined,
		initial: DEFAULT_SWITCHES[name],
		text: field.description ?? '',
	};
});
