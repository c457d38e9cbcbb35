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

/** Every type of §6.1 as n8n lists it: 'Email: Replied', sorted by name. */
export const EVENT_OPTIONS: readonly INodePropertyOptions[] = Object.entries<
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
	.sort((a, b) => a.name.localeCompare(b.name, 'en'));

/** The same with 'All Events' in front. */
export const EVENT_OPTIONS_WITH_ALL: INodePropertyOptions[] = [
	{
		name: 'All Events',
		value: ALL_EVENTS,
		description: 'Every event, also those that the service adds later',
		action: 'On any event',
	},
	...EVENT_OPTIONS,
];

const NAMES: ReadonlyMap<unknown, string> = new Map(
	EVENT_OPTIONS_WITH_ALL.map(({ value, name }) => [value, name]),
);

/** The name of an event as the lists show it; a custom type has none but itself. */
export const eventName = (type: string): string => NAMES.get(type) ?? type;
