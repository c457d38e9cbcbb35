/**
 * What n8n knows of the nodes and the credential, without the texts: which fields there are, of which type, with which
 * default, and when they are shown. A change of these files in a pull request shows what changes in the editor.
 */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { OutreachServiceApi } from '../../credentials/OutreachServiceApi.credentials';
// With an extension: without one, tsx would load the codex, a `.node.json` beside it.
import { OutreachService } from '../../nodes/OutreachService/OutreachService.node.ts';
import actionCodex from '../../nodes/OutreachService/OutreachService.node.json';
import { OutreachServiceTrigger } from '../../nodes/OutreachService/OutreachServiceTrigger.node.ts';
import triggerCodex from '../../nodes/OutreachService/OutreachServiceTrigger.node.json';
import { EVENT_OPTIONS_WITH_ALL } from '../../nodes/OutreachService/domain/eventTypes';
import { isJsonObject } from '../../nodes/OutreachService/utils/json';

export const DESCRIPTIONS_FOLDER = resolve(__dirname, '../../test/descriptions');

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

/** The contents of the files, by name. */
export const STRUCTURES: Readonly<Record<string, unknown>> = {
	'OutreachServiceApi.credentials.json': structureOf(new OutreachServiceApi()),
	'OutreachService.node.json': structureOf(new OutreachService()),
	'OutreachService.codex.json': withoutTexts(actionCodex),
	'OutreachServiceTrigger.node.json': structureOf(new OutreachServiceTrigger()),
	'OutreachServiceTrigger.codex.json': withoutTexts(triggerCodex),
};

/** The texts of the files, by path; undefined for one that is there and should not be. */
export async function descriptionTexts(): Promise<Map<string, string | undefined>> {
	const texts = new Map<string, string | undefined>();
	for (const name of await readdir(DESCRIPTIONS_FOLDER)) {
		texts.set(join(DESCRIPTIONS_FOLDER, name), undefined);
	}
	for (const [name, structure] of Object.entries(STRUCTURES)) {
		texts.set(join(DESCRIPTIONS_FOLDER, name), JSON.stringify(structure));
	}
	return texts;
}
