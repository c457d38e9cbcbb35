/** The lists in the documents that are generated from the code. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { RESOURCES } from '../../nodes/OutreachService/actions';
import { EVENTS } from '../../nodes/OutreachService/domain/eventTypes';
import { options } from '../../nodes/OutreachService/trigger/description/options';

type Row = readonly [term: string, text: string];

/** A list, because a formatter pads the cells of a table to the longest text. */
const list = (rows: readonly Row[]): string =>
	rows.map(([term, text]) => `- ${term}: ${text}`).join('\n');

const code = (text: string): string => `\`${text}\``;
const bold = (text: string): string => `**${text}**`;

const events = (): string =>
	list(
		[...EVENTS].map(([type, { name, label, description }]) => [
			`${bold(name)} ${code(type)}, _${label}_`,
			description,
		]),
	);

const isOption = (option: object): option is INodePropertyOptions =>
	'name' in option && 'value' in option;

/** The values of an option, the default first. */
function valuesOf({ default: initial, options: values = [] }: INodeProperties): string[] {
	if (typeof initial === 'boolean') return [initial ? 'on' : 'off'];
	const choices = values.filter(isOption);
	if (choices.length === 0) return typeof initial === 'number' ? [String(initial)] : [];
	const isDefault = (one: INodePropertyOptions) => one.value === initial;
	const others = choices.filter((one) => !isDefault(one));
	return [...choices.filter(isDefault), ...others].map(({ name }) => `_${name}_`);
}

/** The options of the trigger, each with a link to its section, which describes it. */
const triggerOptions = (): string =>
	options
		.map((option) => {
			const { displayName } = option;
			const anchor = displayName.toLowerCase().replaceAll(':', '').replaceAll(' ', '-');
			return [`- [${bold(displayName)}](#${anchor})`, ...valuesOf(option)];
		})
		.map(([link = '', ...values]) => (values.length === 0 ? link : `${link}: ${values.join(', ')}`))
		.join('\n');

const operations = (): string =>
	list(
		RESOURCES.flatMap(({ name: resource, operations: all }) =>
			all.map(({ name, description }) => [bold(`${resource}: ${name}`), description]),
		),
	);

const TABLES: Readonly<Record<string, () => string>> = {
	events,
	operations,
	'trigger options': triggerOptions,
};

const MARKED = /(<!-- table: ([\w ]+) -->\n)[^]*?(<!-- end of table -->)/g;

/** The documents that contain such a list, between `<!-- table: NAME -->` and `<!-- end of table -->`. */
const DOCUMENTS = ['README.md', 'docs/events.md', 'docs/troubleshooting.md', 'docs/trigger.md'];

/**
 * The documents with their lists regenerated, by path.
 *
 * @throws unless each list is in exactly one document: a misspelled marker would leave one outdated
 */
export async function documentTexts(): Promise<Map<string, string>> {
	const found: string[] = [];
	const texts = new Map<string, string>();
	for (const document of DOCUMENTS) {
		const path = resolve(__dirname, '../..', document);
		const text = (await readFile(path, 'utf8')).replaceAll(
			MARKED,
			(_, begin: string, name: string, end: string) => {
				found.push(name);
				return `${begin}\n${TABLES[name]?.() ?? ''}\n\n${end}`;
			},
		);
		texts.set(path, text);
	}
	const expected = Object.keys(TABLES).sort().join(', ');
	const names = found.sort().join(', ');
	if (names !== expected) throw new Error(`The documents have the lists ${names}, not ${expected}`);
	return texts;
}
