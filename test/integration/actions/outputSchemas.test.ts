import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv2020 } from 'ajv/dist/2020';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { EVENT_TYPES } from '../../../nodes/OutreachService/model/eventTypes';
import { SCHEMA_FOLDER, schemaFiles } from '../../../tools/docs/schemas';
import { sampleActivity } from '../../../tools/service';
import { byId, jsonOf } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

const previewSchema = z.object({
	type: z.string(),
	properties: z.record(z.object({}).passthrough()),
});

/** The fields that n8n shows before a node has run. */
const preview = (path: string) =>
	previewSchema.parse(JSON.parse(readFileSync(join(SCHEMA_FOLDER, `${path}.json`), 'utf8')));

const compared = new Set<string>();

/** Expects an item to have exactly the fields of its preview, and the same one first. */
function expectPreviewed(item: IDataObject | undefined, operation: string): void {
	compared.add(`v1.0.0/${operation}.json`);
	const schema = preview(`v1.0.0/${operation}`);
	const validate = new Ajv2020().compile({ ...schema, additionalProperties: false });
	expect([validate(item), validate.errors]).toEqual([true, null]);
	expect(Object.keys(item ?? {}).sort()).toEqual(Object.keys(schema.properties).sort());
	expect(Object.keys(item ?? {})[0]).toBe(Object.keys(schema.properties)[0]);
}

const SETTINGS = { campaignId: 'cam_1', isFirst: true, toolLinkId: 7 };

const create = () =>
	world.service.addHook({ targetUrl: 'https://crm.test/in', type: 'emailsReplied', ...SETTINGS });

describe('Before it has run, n8n shows the very fields that the items have:', () => {
	it('create', async () => {
		const [item] = jsonOf(
			await world.runNode({
				operation: 'create',
				targetUrl: 'https://crm.test/in',
				event: 'emailsReplied',
				additionalFields: SETTINGS,
			}),
		);
		expectPreviewed(item, 'webhook/create');
	});

	it.each(['get', 'delete', 'rotateSecret'])('%s', async (operation) => {
		const webhookId = byId(create()._id);
		const [item] = jsonOf(await world.runNode({ operation, webhookId }));
		expectPreviewed(item, `webhook/${operation}`);
	});

	it.each([
		['getAll', {}],
		['deleteMany', { filters: { targetUrl: 'crm' } }],
	])('%s', async (operation, parameters) => {
		create();
		const [item] = jsonOf(await world.runNode({ operation, ...parameters }));
		expectPreviewed(item, `webhook/${operation}`);
	});

	it('check', async () => {
		world.service.addHook({
			targetUrl: 'http://127.0.0.1:9/in',
			type: 'emailsReplied',
			...SETTINGS,
		});
		const [item] = jsonOf(await world.runNode({ operation: 'check' }));
		expectPreviewed(item, 'webhook/check');
	});

	it('sendTest', async () => {
		await world.activeTrigger(['emailsReplied'], { campaignId: 'cam_1' });
		const webhookId = byId(world.webhookIds[0]!);
		const [item] = jsonOf(await world.runNode({ operation: 'sendTest', webhookId }));
		expectPreviewed(item, 'webhook/sendTest');
	});

	it('compare', async () => {
		world.service.setSwitches({ schemaFields: 'changed' });
		const parameters = { resource: 'peopleSchema', operation: 'compare' };
		const [item] = jsonOf(await world.runNode(parameters));
		expectPreviewed(item, 'peopleSchema/compare');
	});

	it('no other operation has a preview', () => {
		const ofActions = [...schemaFiles().keys()].filter((file) => file.startsWith('v1.0.0'));
		expect(ofActions.sort()).toEqual([...compared].sort());
	});
});

it('The preview of the trigger has every field that an activity can have', () => {
	const activities = [...EVENT_TYPES].map((type) => sampleActivity(type));
	const schema = preview('v1.1.0');
	const validate = new Ajv2020().compile({ ...schema, additionalProperties: false });
	for (const activity of [...activities, { ...activities[0], isThirdPartyReply: true }]) {
		expect([validate(activity), validate.errors]).toEqual([true, null]);
	}
});
