/** What the editor shows of the fields: labels in full, choices that exist, and events that people find. */
import { runInNewContext } from 'node:vm';
import type { INodeProperties } from 'n8n-workflow';

import { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';
import { RESOURCES } from '../../../nodes/OutreachService/actions';
import {
	EVENT_OPTIONS,
	EVENT_OPTIONS_WITH_ALL,
	eventName,
	EVENTS,
} from '../../../nodes/OutreachService/domain/eventTypes';
import { OutreachService } from '../../../nodes/OutreachService/OutreachService.node';
import { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import { LABEL_WIDTH, widthOnCanvas } from './canvasFont';

/** A field, and those inside it. */
const withInner = (property: INodeProperties): INodeProperties[] => [
	property,
	...(property.options ?? []).flatMap((one) => {
		if ('values' in one) return one.values.flatMap(withInner);
		return 'type' in one ? withInner(one) : [];
	}),
];
/** Every field of the credential and the nodes. */
const FIELDS = [
	...new OutreachServiceApi().properties,
	...new OutreachService().description.properties,
	...new OutreachServiceTrigger().description.properties,
].flatMap(withInner);

it('The label of each output is shown in full where nothing is connected (D101)', () => {
	const labels = [...EVENTS.values()].map(({ label }) => label);
	const cut = [...labels, 'Other events'].filter((label) => widthOnCanvas(label) > LABEL_WIDTH);
	expect(cut).toEqual([]);
});

it('The name of each field is short enough for its line, in which n8n cuts off the rest', () => {
	const names = FIELDS.filter(({ type }) => type !== 'notice').map(
		({ displayName }) => displayName,
	);
	expect(names.length).toBeGreaterThan(30);
	expect(names.filter((name) => name.length > 26)).toEqual([]);
});

it('Each field is shown or hidden for a value that another field can have', () => {
	const conditions = FIELDS.flatMap(({ displayOptions }) =>
		[displayOptions?.show, displayOptions?.hide]
			.flatMap((fields) => Object.entries(fields ?? {}))
			.flatMap(([name, values = []]) =>
				values.flatMap((value) =>
					typeof value === 'string' ? [`${name.replace('/options.', '')}: ${value}`] : [],
				),
			),
	);
	const choices = FIELDS.flatMap(({ name, options = [] }) =>
		options.flatMap((one) => ('value' in one ? [`${name}: ${one.value}`] : [])),
	);
	expect(conditions).not.toEqual([]);
	expect(conditions.filter((condition) => !choices.includes(condition))).toEqual([]);
});

it('The action node says on the canvas what it does', () => {
	const { subtitle = '' } = new OutreachService().description;
	const code = /^=\{\{([^]*)\}\}$/.exec(subtitle)?.[1] ?? '';
	expect(code).not.toContain('}}');
	for (const { value: resource, name, operations } of RESOURCES) {
		for (const { value: operation, name: operationName } of operations) {
			const shown: unknown = runInNewContext(code, { $parameter: { resource, operation } });
			expect(shown).toBe(`${operationName}: ${name}`);
		}
	}
});

describe("What people type into 'Trigger On'", () => {
	/** The events that the field lists for a text, by the rule of its component: part of the label, any case. */
	const listedFor = (typed: string): string[] =>
		EVENT_OPTIONS_WITH_ALL.filter(({ name }) => name.toLowerCase().includes(typed)).map(
			({ value }) => String(value),
		);

	it.each([
		['email: reply', ['emailsReplied']],
		['undeliverable', ['emailsBounced']],
		['opt-out', ['emailsUnsubscribed']],
		['replied', ['emailsReplied', 'messengerReplied', 'networkReplied', 'smsReplied', 'warmed']],
		['positive', ['interested']],
		['click', ['attracted', 'emailsClicked']],
		['first touch', ['contacted']],
		['all events', ['*']],
	])('%s finds %j, and nothing else', (typed, expected) => {
		expect(listedFor(typed).sort()).toEqual(expected);
	});

	it('finds an event also by its type; its plain name comes first, and what finds it in brackets', () => {
		for (const { name, value } of EVENT_OPTIONS) {
			expect(listedFor(String(value).toLowerCase())).toContain(value);
			const plain = eventName(String(value));
			expect(name.slice(0, plain.length)).toBe(plain);
			expect(name.slice(plain.length)).toMatch(/^( \([A-Za-z, -]+\))?$/);
		}
	});
});
