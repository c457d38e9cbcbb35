/**
 * What n8n knows of the nodes and the credential, without the texts: which fields there are, of which type, with which
 * default, and when they are shown. A change of this file in a pull request shows what changes in the editor.
 */
import { resolve } from 'node:path';

import { OutreachServiceApi } from '../../credentials/OutreachServiceApi.credentials';
// With an extension: without one, tsx would load the codex, a `.node.json` beside it.
import { OutreachService } from '../../nodes/OutreachService/OutreachService.node.ts';
import actionCodex from '../../nodes/OutreachService/OutreachService.node.json';
import { OutreachServiceTrigger } from '../../nodes/OutreachService/OutreachServiceTrigger.node.ts';
import triggerCodex from '../../nodes/OutreachService/OutreachServiceTrigger.node.json';
import { EVENT_OPTIONS_WITH_ALL } from '../../nodes/OutreachService/domain/eventTypes';
import { isJsonObject } from '../../nodes/OutreachService/utils/json';

export const DESCRIPTIONS_FILE = resolve(__dirname, '../../test/descriptions.txt');

/** What users read, and what is generated elsewhere: other tests check it, and it changes more often. */
const TEXTS = new Set([
	'displayName',
	'description',
	'placeholder',
	'hint',
	'action',
	'builderHint',
	'alias',
	'resources',
	'header',
	'executionsHelp',
	'activationHint',
	'activationMessage',
	'eventTriggerDescription',
	'documentationUrl',
]);

/** The `description` of a node is an object, and everything but a text. */
const isText = (key: string, value: unknown): boolean =>
	TEXTS.has(key) && !(key === 'description' && isJsonObject(value));

/** A choice such as `{ name: 'Grouped', value: 'grouped' }`: its name is a text; that of a field is not. */
const isChoice = (one: Record<string, unknown>): boolean => 'value' in one && !('type' in one);

/** The value without the texts in it. The expressions of the canvas, which contain the events' names, are only named. */
function withoutTexts(value: unknown): unknown {
	if (typeof value === 'string') return value.startsWith('={{') ? 'an expression' : value;
	if (value === EVENT_OPTIONS_WITH_ALL) return 'every event of docs/events.md';
	if (Array.isArray(value)) return value.map(withoutTexts);
	if (typeof value === 'function') return 'a function';
	if (!isJsonObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([key, inner]) => !isText(key, inner) && !(key === 'name' && isChoice(value)))
			.map(([key, inner]) => [key, withoutTexts(inner)]),
	);
}

/** Everything that n8n finds in an instance of a node or of a credential. */
function structureOf(instance: object): unknown {
	const parts = Object.entries(instance).filter(([name]) => name !== 'runtime');
	return withoutTexts(Object.fromEntries(parts));
}

/** Whether a value is a list of what has a name, such as fields. */
const isListOfNamed = (value: unknown): value is Array<Record<string, unknown>> =>
	Array.isArray(value) && value.some((one) => isJsonObject(one) && 'name' in one);

/** A structure in lines: each part of it with a name has one, and what is in it is indented below. */
function linesOf(name: string, structure: Record<string, unknown>, indent = ''): string[] {
	const own: Record<string, unknown> = {};
	const inner: string[] = [];
	for (const [key, part] of Object.entries(structure)) {
		if (isListOfNamed(part)) {
			inner.push(...part.flatMap((one) => linesOf(String(one.name), one, `${indent}  `)));
		} else if (key === 'description' && isJsonObject(part)) {
			inner.push(...linesOf(key, part, `${indent}  `));
		} else if (key !== 'name' || part !== name) {
			own[key] = part;
		}
	}
	return [`${indent}${name} ${JSON.stringify(own)}`, ...inner];
}

const STRUCTURES = {
	OutreachServiceApi: structureOf(new OutreachServiceApi()),
	OutreachService: structureOf(new OutreachService()),
	'OutreachService.codex': withoutTexts(actionCodex),
	OutreachServiceTrigger: structureOf(new OutreachServiceTrigger()),
	'OutreachServiceTrigger.codex': withoutTexts(triggerCodex),
};

/** What n8n knows of the nodes and the credential, as it is in {@link DESCRIPTIONS_FILE}. */
export const DESCRIPTIONS = Object.entries(STRUCTURES)
	.flatMap(([name, structure]) => (isJsonObject(structure) ? linesOf(name, structure) : []))
	.map((line) => `${line}\n`)
	.join('');

/** The text of the file, by its path. */
export const descriptionTexts = async (): Promise<Map<string, string>> =>
	new Map([[DESCRIPTIONS_FILE, DESCRIPTIONS]]);
