import type { INodePropertyOptions } from 'n8n-workflow';

import { ALL_EVENTS, EVENT_GROUPS } from './eventTypes';

/** What the events of a group are about, in n8n's list of triggers; the names of the others say it themselves. */
const SUBJECTS: Readonly<Partial<Record<string, string>>> = {
	'Lead State': 'lead ',
	Email: 'email ',
	Network: 'network ',
	Messenger: 'messenger ',
	SMS: 'SMS ',
	Call: 'call ',
	API: 'API ',
	Manual: 'manual ',
	Task: 'lead ',
};

/** The phrase in n8n's list of triggers. It is the lead who is interested, and not the email. */
function phrase(group: string, name: string): string {
	const subject = SUBJECTS[group] ?? '';
	const words = name.toLowerCase();
	return group !== 'Lead State' && /^(not )?interested$/.test(words)
		? `On lead ${words} (${subject.trim()})`
		: `On ${subject}${words}`;
}

/** Words that people type for an event whose name and type do not have them. */
const ALSO_KNOWN_AS: Readonly<Partial<Record<string, string>>> = {
	contacted: 'first touch',
	hooked: 'any open',
	attracted: 'any click, invite accepted',
	warmed: 'any reply or answer',
	emailsReplied: 'answer',
	networkReplied: 'answer',
	messengerReplied: 'answer',
	smsReplied: 'answer',
};

/** With all the words by which it must be found: n8n's field for events searches nothing but this text. */
function searchable(name: string, value: string): string {
	const type = name.toLowerCase().includes(value.toLowerCase()) ? undefined : value;
	const words = [type, ALSO_KNOWN_AS[value]].filter((word) => word !== undefined);
	return words.length > 0 ? `${name} (${words.join(', ')})` : name;
}

type Event = { value: string; name: string; description: string; action: string };

const ALL: Event = {
	name: 'All Events',
	value: ALL_EVENTS,
	description: 'Every event, also those that the service adds later',
	action: 'On any event',
};

/** Every type of §6.1 with its name, such as 'Email: Reply Received', sorted by that. */
const EVENTS: readonly Event[] = Object.entries<
	Readonly<Record<string, readonly [string, string]>>
>(EVENT_GROUPS)
	.flatMap(([group, types]) =>
		Object.entries(types).map(([value, [name, description]]) => ({
			name: `${group}: ${name}`,
			value,
			description,
			action: phrase(group, name),
		})),
	)
	// Not localeCompare(): with it, n8n would load the rules of languages when it starts, for 10 ms.
	.sort((a, b) => (a.name < b.name ? -1 : 1));

/** Every type of §6.1 as n8n lists it: 'Email: Reply Received (emailsReplied, answer)'. */
export const EVENT_OPTIONS: readonly INodePropertyOptions[] = EVENTS.map((event) => ({
	...event,
	name: searchable(event.name, event.value),
}));

/** The same with 'All Events' in front. */
export const EVENT_OPTIONS_WITH_ALL: INodePropertyOptions[] = [ALL, ...EVENT_OPTIONS];

/** The name of each event, without the words that are only there for searching. */
export const EVENT_NAMES: ReadonlyMap<string, string> = new Map(
	[ALL, ...EVENTS].map(({ value, name }) => [value, name]),
);

/** The name of an event; a custom type has none but itself. */
export const eventName = (type: string): string => EVENT_NAMES.get(type) ?? type;

const LABELS: ReadonlyMap<unknown, string> = new Map(
	EVENT_OPTIONS.map(({ value, name }) => [value, name]),
);

/** The name of an event with all the words by which people search for it. */
export const eventLabel = (type: string): string => LABELS.get(type) ?? eventName(type);

const DESCRIPTIONS: ReadonlyMap<string, string> = new Map(
	EVENTS.map(({ value, description }) => [value, description]),
);

/** What an event means, as a sentence without a full stop; undefined for a custom type. */
export const describeEvent = (type: string): string | undefined => DESCRIPTIONS.get(type);

/** The groups that are channels: lead states, tasks and the workspace are none. */
const CHANNEL_GROUPS = ['Email', 'Network', 'Messenger', 'SMS', 'Call', 'API', 'Manual'] as const;

/** The channel of each event that has one: `email`, `network`, `messenger`, `sms`, `call`, `api` or `manual`. */
export const CHANNELS: ReadonlyMap<string, string> = new Map(
	CHANNEL_GROUPS.flatMap((group) =>
		Object.keys(EVENT_GROUPS[group]).map((type) => [type, group.toLowerCase()]),
	),
);
