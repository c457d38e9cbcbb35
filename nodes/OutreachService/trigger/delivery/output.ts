import type { IDataObject } from 'n8n-workflow';

import { activityFieldsSchema } from '../../model/activity';
import { EVENTS, eventName } from '../../model/eventTypes';

/** The maximum numbers of characters: what a lead writes must not fill a chat message. */
const LONGEST_NAME = 60;
const LONGEST_SUBJECT = 120;
const LONGEST_SUMMARY = 200;

/** What a summary is made of; null for what the event does not have. */
type Happened = {
	type: string | null;
	firstName: string | null;
	lastName: string | null;
	email: string | null;
	subject: string | null;
};

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
};

/** A text on one line, without control and formatting characters, in which nothing is rendered. */
const plain = (text: string): string =>
	text
		.replace(/\s+/g, ' ')
		// Also those that change the direction of a text, and halves of characters.
		.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, '')
		.replace(/[<>*_~`|[\]]/g, (character) => LOOKALIKES[character] ?? '')
		// Not the one in an email address.
		.replace(/(?<![\p{L}\p{N}.+-])@/gu, '＠')
		.replace(/:\/\//g, ': //')
		// At the beginning of a line, these begin a heading or a list.
		.replace(/^[ #+-]+/, '')
		.replace(/ +/g, ' ')
		.trim();

function shortened(text: string, longest: number): string {
	const characters = Array.from(text);
	if (characters.length <= longest) return text;
	return `${characters
		.slice(0, longest - 1)
		.join('')
		.trimEnd()}…`;
}

/** The beginning is enough: the rest would be cut off, and a text can be megabytes long. */
const beginning = (text: string | null): string => plain((text ?? '').slice(0, 1_000));

/** The name of a lead; without one, the email address. */
function nameOf({ firstName, lastName, email }: Happened): string {
	const name = [firstName, lastName].map(beginning).join(' ').trim();
	return shortened(name || beginning(email), LONGEST_NAME);
}

/** What happened in a line, for a chat message: 'Grace Okafor replied to an email: Re: Quick question'. */
function summaryOf(happened: Happened): string {
	const type = happened.type ?? '';
	const name = nameOf(happened);
	const sentence = EVENTS.get(type)?.description ?? beginning(eventName(type));
	// A function: in a text, a dollar sign of the name would have a meaning.
	const named = name
		? sentence.replace(/\bthe lead( or a third party)?\b/gi, () => name)
		: sentence;
	const told = !name || named !== sentence ? named : `${named} (${name})`.trim();
	const subject = shortened(beginning(happened.subject), LONGEST_SUBJECT);
	const summary = [told, subject].filter((part) => part !== '').join(': ');
	return (
		shortened(summary, LONGEST_SUMMARY)
			// The code of an emoji, such as :warning:, may begin in the name and end in the subject.
			.replace(/:(?=[\w+'-]+:)/g, '∶')
			// Calls a whole channel, also inside a word; a name may be cut off behind it.
			.replace(/@(?=(?:everyone|here|channel|all)\b)/gi, '＠')
	);
}

/** What a person reads of an event. `channel` is null where it has none, as for a lead state. */
const summarize = (happened: Happened) => ({
	summary: summaryOf(happened),
	label: happened.type === null ? null : eventName(happened.type),
	channel: EVENTS.get(happened.type ?? '')?.channel ?? null,
});

/**
 * Sorts the flat fields of an activity (§2.3) into groups, with what a chat message needs; the activity itself comes
 * along untouched.
 * @param event the chosen event for which it came, such as a lead state
 * @param key see `eventKey`
 */
export function grouped(activity: IDataObject, event: string, key: string): IDataObject {
	const f = activityFieldsSchema.parse(activity);
	return {
		event: {
			...summarize({
				type: f.type,
				firstName: f.leadFirstName,
				lastName: f.leadLastName,
				email: f.leadEmail,
				subject: f.subject,
			}),
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
