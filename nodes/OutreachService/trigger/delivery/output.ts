import type { IDataObject } from 'n8n-workflow';

import { activitySchema, type Activity } from '../../model/activity';
import { EVENTS, eventName } from '../../model/eventTypes';

/** The maximum numbers of characters: what a lead writes must not fill a chat message. */
const LONGEST_NAME = 60;
const LONGEST_SUBJECT = 120;
const LONGEST_SUMMARY = 200;

/** A text on one line, without formatting characters and halves of characters. It may be megabytes long. */
const oneLine = (text: string | null): string =>
	(text ?? '')
		.slice(0, 1_000)
		.replace(/[^\P{C}\s]/gu, '')
		.replace(/\s+/g, ' ')
		.trim();

function shortened(text: string, longest: number): string {
	const characters = Array.from(text);
	if (characters.length <= longest) return text;
	return `${characters
		.slice(0, longest - 1)
		.join('')
		.trimEnd()}…`;
}

/**
 * Characters with a meaning in the messages of Slack, Telegram, Markdown or HTML, and what they are replaced with: a
 * character that looks like it. Leads choose their names, and could otherwise notify a whole channel or hide a link.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
	'<': '‹',
	'>': '›',
	'*': '∗',
	_: '＿',
	'~': '∼',
	'`': 'ˋ',
	'|': '¦',
	'[': '(',
	']': ')',
	'@': '＠',
	':': '∶',
	'#': '＃',
	'+': '＋',
	'-': '‐',
};

/**
 * Formatting and links; what begins a heading or a list; a mention; a URL, or the code of an emoji such as :warning:. What
 * follows a character is not replaced yet, so an underscore ends no word.
 */
const MEANING =
	/[<>*_~`|[\]]|^[#+-]|(?<![a-z\d])@|@(?=(?:everyone|here|channel|all)(?![a-z\d]))|:(?=\/\/|[\w+'-]+:)/gi;

/** What happened in a line, for a chat message: 'Grace Okafor replied to an email: Re: Quick question'. */
function summaryOf(activity: Activity): string {
	const fullName = oneLine(`${activity.leadFirstName ?? ''} ${activity.leadLastName ?? ''}`);
	const name = shortened(fullName || oneLine(activity.leadEmail), LONGEST_NAME);
	const sentence = EVENTS.get(activity.type ?? '')?.description ?? oneLine(activity.type);
	// A function: in a text, a dollar sign of the name would have a meaning.
	const named = sentence.replace(/\bthe lead( or a third party)?\b/gi, (lead) => name || lead);
	const told = name && named === sentence ? `${named} (${name})`.trim() : named;
	const subject = shortened(oneLine(activity.subject), LONGEST_SUBJECT);
	const summary = [told, subject].filter((part) => part !== '').join(': ');
	return shortened(summary, LONGEST_SUMMARY).replace(MEANING, (one) => LOOKALIKES[one] ?? '');
}

/**
 * Sorts the flat fields of an activity (§2.3) into groups, with what a chat message needs; the activity itself comes
 * along untouched.
 * @param event the chosen event for which it came, such as a lead state
 * @param key see `eventKey`
 */
export function grouped(activity: IDataObject, event: string, key: string): IDataObject {
	const f = activitySchema.parse(activity);
	return {
		event: {
			summary: summaryOf(f),
			label: f.type === null ? null : eventName(f.type),
			channel: EVENTS.get(f.type ?? '')?.channel ?? null,
			key,
			id: f._id,
			type: f.type,
			subscription: event,
			createdAt: f.createdAt,
			teamId: f.teamId,
			isThirdPartyReply: f.isThirdPartyReply,
		},
		lead: {
			id: f.leadId,
			email: f.leadEmail,
			firstName: f.leadFirstName,
			lastName: f.leadLastName,
		},
		campaign: { id: f.campaignId, name: f.campaignName },
		sequence: { id: f.sequenceId, step: f.sequenceStep },
		sender: { id: f.sendUserId, email: f.sendUserEmail, name: f.sendUserName },
		email: { subject: f.subject, to: f.to, cc: f.cc, bcc: f.bcc },
		activity,
	};
}
