import type { Switches } from './switches';

/** What each switch decides, with the section that leaves it open. For `--help`, the control page and the docs. */
export const SWITCH_TEXTS: Readonly<Record<keyof Switches, string>> = {
	createParameters:
		'§4.2: where POST /hooks reads campaignId, isFirst and toolLinkId; with both, the body takes precedence',
	createStatus: '§4.2: status of a successful POST /hooks; 204 has no body',
	deleteStatus: '§4.3: status of a successful DELETE; 204 has no body',
	deleteBody: '§4.3: the body of the response to a successful DELETE: the deleted webhook, or none',
	createdAtForm:
		'§2.1: the form of createdAt: with a time zone, without one (still UTC), or absent',
	emptyList:
		'§4.1, §7: the response of GET /hooks if there are no webhooks: an empty list, or Webhook not found',
	badTeamStatus: '§7: status of Bad team',
	notFoundStatus: '§7: status of Webhook not found',
	invalidStatus: '§7: status of a POST with an invalid body or query, or a removed type (§6.2)',
	unknownTypes: '§6.1, §9: event types that the API spec does not list',
	targetUrlForm:
		'§4.2: how a targetUrl is stored: as sent, or normalized (host in lower case and so on)',
	hookUrls: '§4.2: whether webhooks can share a targetUrl: always, never, or with different types',
	duplicateStatus: '§4.2: status if a targetUrl is already in use and cannot be shared',
	maxHooks: '§8.4: maximum number of webhooks per team; 0 for no limit',
	maxHooksStatus: '§8.4: status if a team has reached that maximum',
	rateLimit:
		'§8.1: how requests are counted: in a sliding window, in windows that start with a request, or not',
	rateLimitRequests: '§8.1: requests per window and API key',
	rateLimitWindowMs: '§8.1: window length in milliseconds',
	refusedCount: '§8.1: whether requests over the limit count against it too',
	overLimitStatus: '§8.3: status of a request over the limit',
	retryAfter: '§8.2: which responses carry Retry-After',
	rateLimitHeaders: '§8.2: which responses carry the X-RateLimit headers',
	resetFormat: '§8.2: the date format of X-RateLimit-Reset',
	schemaShape: '§4.4: how GET /schema/people describes the fields',
	schemaEnvelope: '§4.4: whether the schema is wrapped as { schema, version }',
	schemaFields:
		'§9.2: the documented fields, or with one added, one removed and one of another type',
	campaignFilter:
		'§6.3.2: whether a webhook with a campaign receives only the events of that campaign',
	isFirstScope:
		'§2.1: what isFirst means: the first event of each lead in each campaign, the first of the webhook, or nothing',
	groupDeliveryType:
		'§6.1: the type in a delivery to a webhook for a state group: that of the activity, or the group',
	thirdPartyCampaign:
		'§6.6: campaignId, leadId and sequenceId of a third-party reply: kept, omitted or changed',
	deliveryTimeoutMs: '§6.7: timeout of a delivery in milliseconds',
	disconnectShare:
		'§6.7: share (0 to 1) of first attempts that disconnect after half a second, without waiting for the response',
	deliveryConcurrency: '§6.7: deliveries in flight at once',
	redeliveries: '§6.7: number of retries after a failed attempt',
	redeliveryDelayMs: '§6.7: delay before the first retry in milliseconds',
	redeliveryFactor: '§6.7: factor by which the delay grows with each retry',
	redeliverOn:
		'§6.7: what is retried: anything but a 2xx, a 5xx or no response, or only no response',
	disableAfterFailures:
		'§3: consecutive failed deliveries after which a webhook is disabled; 0 for never',
};
