import { DEFAULT_TEAM, type Activity } from '../model/activity';
import { EVENT_TYPES, type EventType } from '../model/eventTypes';
import { makeId } from '../support/ids';
import { seededPick, seedFromText, type Pick } from '../support/random';
import { emailFields, hasEmailFields } from './emailFields';
import { CAMPAIGNS, LEADS, SENDERS } from './people';

/** Events about a mailbox, a domain or an account: they have no lead and no campaign (§2.3). */
const WITHOUT_LEAD: ReadonlySet<string> = new Set([
	'customDomainErrors',
	'connectionIssue',
	'sendLimitReached',
	'serviceWarmPaused',
	'deliverabilityAlertTriggered',
]);
/** Events about a lead outside any campaign: `campaignId` is absent (§2.3). */
const WITHOUT_CAMPAIGN: ReadonlySet<string> = new Set(['inboxLabelUpdated', 'signalRegistered']);

const FIRST_DAY = Date.UTC(2026, 2, 2, 8);

function oneOf<T>(pick: Pick, list: readonly T[]): T {
	const chosen = list[pick(list.length)];
	if (chosen === undefined) throw new Error('The list is empty');
	return chosen;
}

/**
 * A realistic activity of any type (§2.3), deterministic for each type and seed. It has only fields that the API spec
 * lists; a type that §6.1 doesn't list gets the common ones.
 */
export function sampleActivity(type: string, seed = 1): Activity {
	const pick = seededPick(seedFromText(type) + seed);
	const campaign = oneOf(pick, CAMPAIGNS);
	const lead = oneOf(pick, LEADS);
	const sender = oneOf(pick, SENDERS);
	const withLead = !WITHOUT_LEAD.has(type);
	const inCampaign = withLead && !WITHOUT_CAMPAIGN.has(type);
	return {
		_id: makeId('act_', pick),
		type,
		teamId: DEFAULT_TEAM,
		createdAt: new Date(FIRST_DAY + pick(14 * 24 * 3600) * 1000).toISOString(),
		...(inCampaign && {
			campaignId: campaign.id,
			campaignName: campaign.name,
			sequenceId: campaign.sequence,
			sequenceStep: pick(5),
		}),
		...(withLead && {
			leadId: makeId('lea_', seededPick(seedFromText(lead.email))),
			leadEmail: lead.email,
			leadFirstName: lead.first,
			leadLastName: lead.last,
		}),
		sendUserId: sender.id,
		sendUserEmail: sender.email,
		sendUserName: sender.name,
		...(hasEmailFields(type) && emailFields(type, { pick, campaign, lead, sender })),
	};
}

/**
 * A reply from an address that isn't one of the lead's, attributed to its sender (§6.6). It carries the campaign fields of
 * the thread.
 */
export function sampleThirdPartyReply(seed = 1): Activity {
	const reply = sampleActivity('emailsReplied', seed);
	return {
		...reply,
		leadEmail: 'assistant@office-of-the-ceo.example',
		leadFirstName: 'Robin',
		leadLastName: 'Marsh',
		isThirdPartyReply: true,
	};
}

/** A factory for each event type of §6.1. */
export const ACTIVITY_FACTORIES = new Map<EventType, (seed?: number) => Activity>(
	EVENT_TYPES.map((type) => [type, (seed) => sampleActivity(type, seed)]),
);
