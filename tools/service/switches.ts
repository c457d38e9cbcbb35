import { z } from 'zod';

const wholeNumber = z.number().int().min(0).max(10_000_000);
const httpStatus = z.number().int().min(200).max(599);

/** Everything that the API spec leaves open, one field each. `SWITCH_TEXTS` describes them. */
const switchesSchema = z.strictObject({
	createParameters: z.enum(['both', 'query', 'body']),
	createStatus: httpStatus,
	deleteStatus: httpStatus,
	deleteBody: z.enum(['hook', 'empty']),
	createdAtForm: z.enum(['zone', 'noZone', 'absent']),
	emptyList: z.enum(['list', 'notFound']),
	badTeamStatus: httpStatus,
	notFoundStatus: httpStatus,
	invalidStatus: httpStatus,
	unknownTypes: z.enum(['refuse', 'accept']),
	targetUrlForm: z.enum(['asSent', 'normalized']),
	hookUrls: z.enum(['shared', 'oncePerTeam', 'oncePerType']),
	duplicateStatus: httpStatus,
	maxHooks: wholeNumber,
	maxHooksStatus: httpStatus,
	rateLimit: z.enum(['sliding', 'fixed', 'off']),
	rateLimitRequests: wholeNumber,
	rateLimitWindowMs: wholeNumber.min(1),
	refusedCount: z.boolean(),
	overLimitStatus: httpStatus,
	retryAfter: z.enum(['refusals', 'always', 'never']),
	rateLimitHeaders: z.enum(['always', 'refusals', 'never']),
	resetFormat: z.enum(['http', 'iso', 'javascript']),
	schemaShape: z.enum(['jsonSchema', 'properties', 'map', 'list', 'sample']),
	schemaEnvelope: z.enum(['none', 'schema']),
	schemaFields: z.enum(['documented', 'changed']),
	campaignFilter: z.enum(['apply', 'ignore']),
	isFirstScope: z.enum(['lead', 'hook', 'ignore']),
	groupDeliveryType: z.enum(['activity', 'group']),
	thirdPartyCampaign: z.enum(['kept', 'omitted', 'changed']),
	deliveryTimeoutMs: wholeNumber.min(1),
	disconnectShare: z.number().min(0).max(1),
	deliveryConcurrency: wholeNumber.min(1),
	redeliveries: wholeNumber,
	redeliveryDelayMs: wholeNumber,
	redeliveryFactor: z.number().min(1).max(10),
	redeliverOn: z.enum(['notOk', 'serverError', 'noResponse']),
	disableAfterFailures: wholeNumber,
});

/** A complete set of switches. */
export type Switches = z.infer<typeof switchesSchema>;

/** The defaults: the plainest reading of the API spec. */
export const DEFAULT_SWITCHES: Switches = {
	createParameters: 'both',
	createStatus: 200,
	deleteStatus: 200,
	deleteBody: 'hook',
	createdAtForm: 'zone',
	emptyList: 'list',
	badTeamStatus: 400,
	notFoundStatus: 404,
	invalidStatus: 400,
	unknownTypes: 'refuse',
	targetUrlForm: 'asSent',
	hookUrls: 'shared',
	duplicateStatus: 409,
	maxHooks: 0,
	maxHooksStatus: 400,
	rateLimit: 'sliding',
	rateLimitRequests: 20,
	rateLimitWindowMs: 2000,
	refusedCount: false,
	overLimitStatus: 429,
	retryAfter: 'refusals',
	rateLimitHeaders: 'always',
	resetFormat: 'http',
	schemaShape: 'jsonSchema',
	schemaEnvelope: 'none',
	schemaFields: 'documented',
	campaignFilter: 'apply',
	isFirstScope: 'lead',
	groupDeliveryType: 'activity',
	thirdPartyCampaign: 'kept',
	deliveryTimeoutMs: 10_000,
	disconnectShare: 0,
	deliveryConcurrency: 64,
	redeliveries: 0,
	redeliveryDelayMs: 1000,
	redeliveryFactor: 2,
	redeliverOn: 'notOk',
	disableAfterFailures: 0,
};

/** Switches to set. A field that is undefined leaves its switch unchanged. */
export type SwitchChanges = { [Name in keyof Switches]?: Switches[Name] | undefined };

/**
 * Returns `current` with `changes` applied.
 * @throws ZodError for an unknown switch or an invalid value
 */
export function changeSwitches(current: Switches, changes: object): Switches {
	const given = Object.entries(changes).filter(([, value]) => value !== undefined);
	return switchesSchema.parse({ ...current, ...Object.fromEntries(given) });
}

/** All switch names, in the order of the API spec's sections. */
export const SWITCH_NAMES = switchesSchema.keyof().options;

/** The values that a switch accepts, for forms and help: a list, or a kind of value. */
export function switchValues(name: keyof Switches): readonly string[] | 'boolean' | 'number' {
	const field = switchesSchema.shape[name];
	if (field instanceof z.ZodEnum) return field.options;
	return field instanceof z.ZodBoolean ? 'boolean' : 'number';
}
