import { CHANNELS, describeEvent, eventName } from '../../model/eventOptions';

/** A subject that is longer than this would fill a chat message. */
const LONGEST_SUBJECT = 120;

/** What a summary is made of; null for what the event does not have. */
type Happened = {
	type: string | null;
	firstName: string | null;
	lastName: string | null;
	email: string | null;
	subject: string | null;
};

/** The name of a lead; without one, the email address. */
function nameOf({ firstName, lastName, email }: Happened): string | undefined {
	const name = [firstName, lastName].join(' ').trim();
	return name || email || undefined;
}

function shortened(subject: string | null): string {
	const line = (subject ?? '').replace(/\s+/g, ' ').trim();
	return line.length > LONGEST_SUBJECT ? `${line.slice(0, LONGEST_SUBJECT - 1).trimEnd()}…` : line;
}

/** What happened in a line, for a chat message: 'Grace Okafor replied to an email: Re: Quick question'. */
function summaryOf(happened: Happened): string {
	const type = happened.type ?? '';
	const name = nameOf(happened);
	const sentence = describeEvent(type) ?? eventName(type);
	// A function: in a text, a dollar sign of the name would have a meaning.
	const named = name
		? sentence.replace(/\bthe lead( or a third party)?\b/gi, () => name)
		: sentence;
	const told = !name || named !== sentence ? named : `${named} (${name})`.trim();
	return [told, shortened(happened.subject)].filter((part) => part !== '').join(': ');
}

/** What a person reads of an event. `channel` is null where it has none, as for a lead state. */
export const summarize = (happened: Happened) => ({
	summary: summaryOf(happened),
	label: happened.type === null ? null : eventName(happened.type),
	channel: CHANNELS.get(happened.type ?? '') ?? null,
});
