/** The files in which n8n looks for the fields of an output before a node has run. */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { RESOURCES } from '../../nodes/OutreachService/actions';
// With an extension: without one, tsx would load the codex, a `.node.json` beside it.
import { OutreachService } from '../../nodes/OutreachService/OutreachService.node.ts';
import { OutreachServiceTrigger } from '../../nodes/OutreachService/OutreachServiceTrigger.node.ts';
import { object, OUTPUTS, TRIGGER_OUTPUT, type OutputSchema } from './outputs';

/** The folder beside the nodes, which both share: their files differ because their versions do. */
export const SCHEMA_FOLDER = resolve(__dirname, '../../nodes/OutreachService/__schema__');

/** A version with three numbers, as n8n writes it: 1.1 is `v1.1.0`. */
const folderOf = (version: number): string =>
	`v${[...String(version).split('.'), '0', '0'].slice(0, 3).join('.')}`;

const versionsOf = ({
	description: { version },
}: {
	description: { version: number | number[] };
}) => [version].flat().map(folderOf);

/**
 * The files with their contents: `v1.0.0/<resource>/<operation>.json` for the action node, and `v1.0.0.json` and
 * `v1.1.0.json` for the trigger.
 * @throws if nobody has said what the items of an operation look like
 */
export function schemaFiles(): ReadonlyMap<string, OutputSchema> {
	const files = new Map(
		versionsOf(new OutreachServiceTrigger()).map((version) => [
			`${version}.json`,
			object(TRIGGER_OUTPUT),
		]),
	);
	const [version = ''] = versionsOf(new OutreachService());
	for (const { value: resource, operations } of RESOURCES) {
		for (const { value: operation } of operations) {
			const outputs = OUTPUTS[resource] ?? {};
			if (!Object.hasOwn(outputs, operation)) {
				throw new Error(`tools/docs/outputs.ts has no ${resource}: ${operation}`);
			}
			const fields = outputs[operation];
			if (!fields) continue;
			files.set(join(version, resource, `${operation}.json`), object(fields));
		}
	}
	return files;
}

/** The texts of all these files, by path; undefined for one that is there and should not be. */
export async function schemaTexts(): Promise<Map<string, string | undefined>> {
	const texts = new Map<string, string | undefined>();
	for (const name of await readdir(SCHEMA_FOLDER, { recursive: true })) {
		if (name.endsWith('.json')) texts.set(join(SCHEMA_FOLDER, name), undefined);
	}
	for (const [name, schema] of schemaFiles()) {
		texts.set(join(SCHEMA_FOLDER, name), JSON.stringify(schema));
	}
	return texts;
}
