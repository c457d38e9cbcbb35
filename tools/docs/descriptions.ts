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

/** What users read and what is generated elsewhere, which other tests check and which changes more often, and our memory. */
const LEFT_OUT = new Set([
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
	'runtime',
]);

/** What of a value is in the file. The expressions of the canvas, which contain the events' names, are only named. */
function withoutTexts(key: string, value: unknown): unknown {
	if (value === EVENT_OPTIONS_WITH_ALL) return 'every event of docs/events.md';
	if (typeof value === 'function') return 'a function';
	if (typeof value === 'string' && value.startsWith('={{')) return 'an expression';
	// The `description` of a node is an object with everything else.
	if (LEFT_OUT.has(key) && !(key === 'description' && isJsonObject(value))) return undefined;
	// A choice such as `{ name: 'Grouped', value: 'grouped' }`: its name is a text; that of a field is not.
	if (isJsonObject(value) && 'value' in value && !('type' in value)) {
		return { ...value, name: undefined };
	}
	return value;
}

const structureOf = (what: object): unknown => JSON.parse(JSON.stringify(what, withoutTexts));

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
	'OutreachService.codex': structureOf(actionCodex),
	OutreachServiceTrigger: structureOf(new OutreachServiceTrigger()),
	'OutreachServiceTrigger.codex': structureOf(triggerCodex),
};

/** What n8n knows of the nodes and the credential, as it is in {@link DESCRIPTIONS_FILE}. */
export const DESCRIPTIONS = Object.entries(STRUCTURES)
	.flatMap(([name, structure]) => (isJsonObject(structure) ? linesOf(name, structure) : []))
	.map((line) => `${line}\n`)
	.join('');
