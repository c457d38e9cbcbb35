/** n8n finds a preview of the fields for each operation and the trigger, and accepts it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { resolveOutputSchemaPath } from 'n8n-core';
import { z } from 'zod';

import { RESOURCES } from '../../nodes/OutreachService/actions';
import { OutreachService } from '../../nodes/OutreachService/OutreachService.node';
import { OutreachServiceTrigger } from '../../nodes/OutreachService/OutreachServiceTrigger.node';

const nodeDir = resolve(__dirname, '../../nodes/OutreachService');
const operations = RESOURCES.flatMap(({ value: resource, operations: all }) =>
	all.map(({ value: operation }) => ({ resource, operation })),
);
/** Where n8n looks for the fields of an output. */
const found = (version: number, what: { resource?: string; operation?: string } = {}): boolean =>
	existsSync(resolveOutputSchemaPath({ nodeDir, version, ...what }) ?? '');

it('n8n finds a preview for every operation, but for those whose output depends on a parameter', () => {
	const version = z.number().parse(new OutreachService().description.version);
	const missing = operations.filter((one) => !found(version, one));
	expect(missing).toEqual([
		{ resource: 'peopleSchema', operation: 'get' },
		{ resource: 'api', operation: 'request' },
	]);
});

it('n8n finds a preview for each version of the trigger', () => {
	const versions = z.number().array().parse(new OutreachServiceTrigger().description.version);
	expect(versions.filter((version) => !found(version))).toEqual([]);
});
