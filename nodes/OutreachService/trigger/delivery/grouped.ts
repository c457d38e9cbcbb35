/** *Data Format: Grouped*: the fields of an activity in groups, with a summary for chat messages. */
import type { IDataObject } from 'n8n-workflow';

import { GROUPS, type Activity } from '../../domain/activity';
import { EVENTS, EVENT_TYPES } from '../../domain/eventTypes';
import { shortened } from '../../utils/shortened';
import type { ChosenActivity } from './chosenActivity';

/** The maximum numbers of characters: what a lead writes must not fill a chat message. */
const LONGEST_NAME = 60;
const LONGEST_SUBJECT = 120;
const LONGEST_SUMMARY = 200;

/** Zero-width joiners, which join the letters of some languages and the parts of an emoji. Elsewhere, they hide text. */
const USELESS_JOINER =
	/(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])/gu;

/** Characters that are not shown: formatting, halves of characters, private ones. */
const INVISIBLE = /(?![\s\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu;

/** A text on one line, without characters that are not shown. It may be megabytes long. */
const oneLine = (text: string | null): string =>
	(text ?? '')
		.slice(0, 1_000)
		.replace(INVISIBLE, '')
		.replace(USELESS_JOINER, '')
		.replace(/\s+/g, ' ')
		.trim();

/**
 * Characters with a meaning in JSON, HTML, Markdown, or the messages of Slack and Telegram (MarkdownV2), and what they are
 * replaced with: a character that looks like it. Leads choose their names and write the subjects: one of them could break
 * the request that a message is made from, notify a whole channel, or hide a link.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
	'"': '″',
	'\\': '∖',
	'<': '‹',
	'>': '›',
	'&': '＆',
	'*': '∗',
	_: '＿',
	'~': '∼',
	'`': 'ˋ',
	'|': '¦',
	'[': '［',
	']': '］',
	'(': '（',
	')': '）',
	'{': '｛',
	'}': '｝',
	'@': '＠',
	'#': '＃',
	'+': '＋',
	'-': '‐',
	'=': '＝',
	'.': '․',
	'!': '！',
	':': '∶',
};

/** Each character that may have a meaning. A colon before a space has none: others may be a part of a URL or the code of an emoji. */
const MAY_HAVE_MEANING = /[^:]|:(?=\S)/gu;

/** The sentence for an activity if neither its type nor the chosen event tells what happened. */
const SOMETHING = 'An event';

/** How the descriptions of events name the lead. */
const LEAD = /\bthe lead\b/gi;

/** A sentence with somebody in place of the lead. If the sentence mentions no lead, somebody is added at its end. */
function toldAbout(sentence: string, somebody: string): string {
	if (somebody === '') return sentence;
	// The replacement is a function, because a dollar sign in a text would have a meaning.
	const told = sentence.replace(LEAD, () => somebody);
	return told === sentence ? `${sentence} – ${somebody}` : told;
}

/** The event whose texts describe an activity: the one of its type, or else the chosen one (D100). */
function describedEvent(type: string | null, chosen: string) {
	if (type !== null && EVENT_TYPES.has(type)) return EVENTS.get(type);
	return EVENT_TYPES.has(chosen) ? EVENTS.get(chosen) : undefined;
}

/** What happened in a line, for a chat message: 'Grace Okafor replied to an email: Re: Quick question'. */
function summaryOf(activity: Activity, described: ReturnType<typeof describedEvent>): string {
	const fullName = oneLine(`${activity.leadFirstName ?? ''} ${activity.leadLastName ?? ''}`);
	const name = shortened(fullName || oneLine(activity.leadEmail), LONGEST_NAME);
	const { leadId, campaignId, campaignName, isThirdPartyReply } = activity;
	const isOfNobody = name === '' && (leadId ?? campaignId ?? campaignName) === null;
	const description = described?.descriptionOfLead ?? (oneLine(activity.type) || SOMETHING);
	// An event without a lead and a campaign may be a test event of the service: its summary mentions no lead.
	const isOfNoLead = isOfNobody && !isThirdPartyReply && description.search(LEAD) !== -1;
	const sentence = isOfNoLead ? (described?.name ?? SOMETHING) : description;
	// The name may be that of the lead or of the third party (§6.6 leaves it open), so it stands beside the sentence.
	const ofThirdParty = toldAbout(sentence, 'a third party').replace(/^a /, 'A ');
	const told = toldAbout(isThirdPartyReply ? ofThirdParty : sentence, name);
	const subject = shortened(oneLine(activity.subject), LONGEST_SUBJECT);
	const summary = subject === '' ? told : `${told}: ${subject}`;
	return shortened(summary, LONGEST_SUMMARY).replace(
		MAY_HAVE_MEANING,
		(character) => LOOKALIKES[character] ?? character,
	);
}

/** The fields of a group, with the values of an activity. */
const valuesOf = (group: keyof typeof GROUPS, activity: Activity): IDataObject =>
	Object.fromEntries(Object.entries(GROUPS[group]).map(([name, field]) => [name, activity[field]]));

/**
 * Sorts the flat fields of an activity (§2.3) into groups, and adds what a chat message needs. The activity itself is in
 * the field `activity`, unchanged.
 */
export function grouped({ event, activity, json, eventKey }: ChosenActivity): IDataObject {
	const described = describedEvent(activity.type, event);
	return {
		event: {
			summary: summaryOf(activity, described),
			label: described?.name ?? activity.type,
			channel: described?.channel ?? null,
			key: eventKey,
			subscription: event,
			...valuesOf('event', activity),
		},
		lead: valuesOf('lead', activity),
		campaign: valuesOf('campaign', activity),
		sequence: valuesOf('sequence', activity),
		sender: valuesOf('sender', activity),
		email: valuesOf('email', activity),
		activity: json,
	};
}
