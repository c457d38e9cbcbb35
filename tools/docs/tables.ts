/** The tables in the documents that are generated from the code. */
import { format, resolveConfig } from 'prettier';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { RESOURCES } from '../../nodes/OutreachService/actions';
import { EVENT_OPTIONS_WITH_ALL, eventName } from '../../nodes/OutreachService/model/eventOptions';
import { options } from '../../nodes/OutreachService/trigger/description/options';
import { FAULT_EXAMPLES, FAULT_TEXTS } from '../service/faults/faultTexts';
import { SWITCHES, type SwitchView } from '../service/switches';

type Row = readonly string[];

const table = (head: Row, rows: readonly Row[]): string =>
	[head, head.map(() => '---'), ...rows]
		.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
		.join('\n');

const code = (text: string): string => `\`${text}\``;

const events = (): string =>
	table(
		['Event', 'Type', 'When'],
		EVENT_OPTIONS_WITH_ALL.map(({ value, description = '' }) => [
			eventName(String(value)),
			code(String(value)),
			description,
		]),
	);

const isOption = (option: object): option is INodePropertyOptions =>
	'name' in option && 'value' in option;

const sentence = (text = ''): string => (text.endsWith('.') ? text : `${text}.`);

/** The description of an option, followed by the description of each of its values. */
function fullDescription({ description = '', options: values = [] }: INodeProperties): string {
	const each = values
		.filter(isOption)
		.map((value) => `_${value.name}_: ${sentence(value.description)}`);
	return [sentence(description), ...each].join(' ');
}

function defaultOf({ default: value, options: values = [] }: INodeProperties): string {
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	const chosen = values.filter(isOption).find((one) => one.value === value)?.name;
	return chosen ?? (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
}

const triggerOptions = (): string =>
	table(
		['Option', 'Default', 'What it does'],
		options.map((option) => [option.displayName, defaultOf(option), fullDescription(option)]),
	);

const operations = (): string =>
	table(
		['Resource', 'Operation', 'What it does'],
		[...RESOURCES]
			.reverse()
			.flatMap(({ name: resource, operations: all }) =>
				all.map(({ name, description }) => [resource, name, description]),
			),
	);

function valuesOf({ values, initial }: SwitchView): string {
	const first = code(String(initial));
	if (values === undefined) return `${first}, a number`;
	return [first, ...values.map(code).filter((value) => value !== first)].join(', ');
}

const switches = (): string =>
	table(
		['Switch', 'Values, the default first', 'Decides'],
		SWITCHES.map((one) => [code(one.name), valuesOf(one), one.text]),
	);

const faults = (): string =>
	table(
		['Kind', 'What it does', 'Example'],
		FAULT_EXAMPLES.map((example) => [
			code(example.kind),
			FAULT_TEXTS[example.kind],
			code(JSON.stringify(example)),
		]),
	);

const TABLES: Readonly<Record<string, () => string>> = {
	events,
	faults,
	operations,
	switches,
	'trigger options': triggerOptions,
};

const MARKED = /(<!-- table: ([\w ]+) -->\n)[^]*?(<!-- end of table -->)/g;

/** The documents that contain such a table, between `<!-- table: NAME -->` and `<!-- end of table -->`. */
export const DOCUMENTS = [
	'README.md',
	'docs/events.md',
	'docs/local-service.md',
	'docs/trigger.md',
];

/**
 * Makes sure that each table is in exactly one document: a marker that is misspelled would leave a table outdated.
 *
 * @throws naming the first table that is not
 */
export function checkMarkers(texts: readonly string[]): void {
	const found = texts.flatMap((text) => [...text.matchAll(MARKED)].map(([, , name]) => name));
	for (const name of Object.keys(TABLES)) {
		const count = found.filter((one) => one === name).length;
		if (count !== 1) throw new Error(`The documents have ${count} tables '${name}'`);
	}
}

/**
 * A document with its tables regenerated, formatted.
 *
 * @throws if the document names an unknown table
 */
export async function withTables(path: string, text: string): Promise<string> {
	const updated = text.replaceAll(MARKED, (_, begin: string, name: string, end: string) => {
		const make = TABLES[name];
		if (make === undefined) throw new Error(`Unknown table '${name}' in ${path}`);
		return `${begin}\n${make()}\n\n${end}`;
	});
	return await format(updated, { ...(await resolveConfig(path)), filepath: path });
}
