import type { Switches } from './switches';

/** What each switch decides, with the paragraph that leaves it open. Shown by `--help`, the control page and the docs. */
export const SWITCH_TEXTS: Readonly<Record<keyof Switches, string>> = {
	createParameters:
		'§4.2: where POST /hooks reads campaignId, isFirst and toolLinkId; with both, the body wins',
	createStatus: '§4.2: status of a successful POST /hooks; 204 has no body',
	deleteStatus: '§4.3: status of a successful DELETE; 204 has no body',
	deleteAnswer: '§4.3: what a successful DELETE answers',
	createdAtForm:
		'§2.1: how createdAt is written: with its zone, without it (still UTC), or not at all',
	emptyList:
		'§4.1, §7: what GET /hooks answers when there are none: an empty list, or Webhook not found',
	badTeamStatus: '§7: status of Bad team',
	notFoundStatus: '§7: status of Webhook not found',
	invalidStatus:
		'§7: status when a POST body or query is not valid, or its type was removed (§6.2)',
	unknownTypes: '§6.1, §9: event types that the interface does not list',
	targetUrlForm:
		'§4.2: how a targetUrl is stored: as it was sent, or with the host in lower case and so on',
	hookUrls: '§4.2: whether hooks may share a targetUrl: always, never, or with different types',
	duplicateStatus: '§4.2: status when a targetUrl may not be used again',
	maxHooks: '§8.4: hooks a team may have; 0 is no limit',
	maxHooksStatus: '§8.4: status when a team has as many hooks as it may have',
	rateLimit:
		'§8.1: how requests are counted: over any window, in windows that start with a request, or not',
	rateLimitRequests: '§8.1: requests in a window, for each key',
	rateLimitWindowMs: '§8.1: length of the window in milliseconds',
	refusedCount: '§8.1: whether refused requests use up the limit too',
	overLimitStatus: '§8.3: status over the limit',
	retryAfter: '§8.2: on which answers Retry-After is sent',
	rateLimitHeaders: '§8.2: on which answers the X-RateLimit headers are sent',
	resetFormat: '§8.2: how the date in X-RateLimit-Reset is written',
	schemaShape: '§4.4: how GET /schema/people describes the fields',
	schemaEnvelope: '§4.4: whether the description is wrapped as { schema, version }',
	schemaFields: '§9.2: the documented fields, or one added, one removed and one with another type',
	campaignFilter: '§6.3.2: whether a hook with a campaign gets the events of that campaign only',
	isFirstScope: '§2.1: first of each lead in a campaign, first of all for the hook, or no filter',
	groupDeliveryType:
		'§6.1: the type in a delivery to a hook of a state group: the name of the activity or the group',
	thirdPartyCampaign:
		'§6.6: campaignId, leadId and sequenceId of a third-party reply: kept, omitted or changed',
	deliveryTimeoutMs: '§6.7: how long a receiver may take, in milliseconds',
	deliveryConcurrency: '§6.7: deliveries under way at once',
	redeliveries: '§6.7: further attempts after a failed one',
	redeliveryDelayMs: '§6.7: wait before the second attempt, in milliseconds',
	redeliveryFactor: '§6.7: how much longer each further wait is',
	redeliverOn:
		'§6.7: what is tried again: anything but a 2xx, 5xx and no answer, or only no answer at all',
	disableAfterFailures: '§3: failed deliveries in a row after which a hook is disabled; 0 is never',
};
