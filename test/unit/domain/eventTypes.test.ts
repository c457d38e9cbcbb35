/** The event types of the nodes are the documented ones: those of the local service, which is written from the API alone. */
import {
	ALL_EVENTS,
	canBeThirdParty,
	EVENT_OPTIONS,
	EVENT_OPTIONS_WITH_ALL,
	EVENT_TYPES,
	EVENTS,
	isLeadState,
	problemWithEventType,
} from '../../../nodes/OutreachService/domain/eventTypes';
import {
	EVENT_TYPES as DOCUMENTED,
	groupCovers,
	REMOVED_EVENT_TYPES,
	subjectOf,
} from '../../../tools/service/model/eventTypes';
import { read } from '../texts/everyDocument';

it('The nodes have each documented event type once, and no other', () => {
	expect(EVENT_OPTIONS.map(({ value }) => value).sort()).toEqual([...DOCUMENTED].sort());
	expect([...EVENT_TYPES].sort()).toEqual([...DOCUMENTED].sort());
	expect(EVENT_OPTIONS_WITH_ALL.map(({ value }) => value)).toEqual([
		...EVENT_OPTIONS.map(({ value }) => value),
		ALL_EVENTS,
	]);
});

/** The documented lead states: the first line of §6.1. */
const LEAD_STATES = DOCUMENTED.filter(isLeadState);

it('The lead states are the first of the documented types', () => {
	expect(LEAD_STATES.length).toBeGreaterThan(0);
	expect(LEAD_STATES).toEqual(DOCUMENTED.slice(0, LEAD_STATES.length));
});

it('A third party’s reply can be a lead state exactly if that covers email replies', () => {
	const covering = LEAD_STATES.filter((state) => groupCovers(state, 'emailsReplied'));
	expect(LEAD_STATES.filter(canBeThirdParty)).toEqual(covering);
	// Nobody knows what a custom type may be.
	expect(canBeThirdParty('somethingNew')).toBe(true);
});

it('The nodes and the local service refuse each type that the API has removed, and name what it names instead', () => {
	const [, api = ''] = read('docs/api.md').split('### 6.2 Removed event types');
	const [section = ''] = api.split('\n### ');
	const lines = section.split('\n').filter((line) => line.startsWith('- `'));
	const removed = lines.map((line) => line.match(/`[^`]+`/g)!.map((name) => name.slice(1, -1)));
	expect([...REMOVED_EVENT_TYPES.keys()].sort()).toEqual(removed.map(([type]) => type).sort());
	for (const [type = '', instead] of removed) {
		expect(DOCUMENTED).not.toContain(type);
		expect(problemWithEventType(type)).toContain(`no longer has the event type '${type}'`);
		if (instead !== undefined) expect(problemWithEventType(type)).toContain(`'${instead}'`);
	}
});

it('An event has a lead and a campaign for the nodes exactly if the local service sends them', () => {
	const said = DOCUMENTED.map((type) => {
		const { hasLead, hasCampaign } = EVENTS.get(type)!;
		if (!hasLead) return [type, 'account'];
		return [type, hasCampaign ? 'campaign' : 'lead'];
	});
	expect(said).toEqual(DOCUMENTED.map((type) => [type, subjectOf(type)]));
});

/** What a type begins with, for each channel (§6.1). */
const CHANNELS: Readonly<Record<string, RegExp>> = {
	api: /^api/,
	call: /^(dialer|call)/,
	email: /^emails/,
	manual: /^manual/,
	messenger: /^messenger/,
	network: /^network/,
	sms: /^sms/,
};

it('The channel of an event follows from the beginning of its type, and its group from the channel', () => {
	for (const [type, { channel, name }] of EVENTS) {
		const [expected = null] =
			Object.entries(CHANNELS).find(([, beginning]) => beginning.test(type)) ?? [];
		expect([type, channel]).toEqual([type, expected]);
		const [group = ''] = name.split(': ');
		if (expected !== null) expect([type, group.toLowerCase()]).toEqual([type, expected]);
		else expect(Object.keys(CHANNELS)).not.toContain(group.toLowerCase());
	}
});

it('Each option has a name of its own, a description, and a label of its own at an output', () => {
	expect(new Set(EVENT_OPTIONS.map(({ name }) => name)).size).toBe(DOCUMENTED.length);
	for (const { description } of EVENT_OPTIONS) expect(description).toMatch(/^[A-Z].{8,}[^.]$/);
	const labels = [...EVENTS.values()].map(({ label }) => label);
	expect(new Set(labels).size).toBe(labels.length);
});
