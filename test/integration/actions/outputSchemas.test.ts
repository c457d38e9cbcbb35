/**
 * The fields that n8n shows in advance are those that each operation and the trigger output. The world is a local
 * service and both nodes in one process of n8n.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv2020 } from 'ajv/dist/2020';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { EVENT_TYPES } from '../../../nodes/OutreachService/domain/eventTypes';
import { SCHEMA_FOLDER, schemaFiles } from '../../../tools/docs/schemas';
import { sampleActivity } from '../../../tools/service';
import { byId, jsonOf } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

/** One for all, because making it takes long. */
const ajv = new Ajv2020();

const previewSchema = z.object({
	type: z.string(),
	properties: z.record(z.object({}).passthrough()),
});

/** The fields that n8n shows before a node has run. */
const preview = (path: string) =>
	previewSchema.parse(JSON.parse(readFileSync(join(SCHEMA_FOLDER, `${path}.json`), 'utf8')));

/** Expects an item to have exactly the fields of its preview, and the same one first. */
function expectPreviewed(item: IDataObject | undefined, operation: string): void {
	const schema = preview(`v1.0.0/${operation}`);
	const validate = ajv.compile({ ...schema, additionalProperties: false });
	expect([validate(item), validate.errors]).toEqual([true, null]);
	expect(Object.keys(item ?? {}).sort()).toEqual(Object.keys(schema.properties).sort());
	expect(Object.keys(item ?? {})[0]).toBe(Object.keys(schema.properties)[0]);
}

const SETTINGS = { campaignId: 'cam_1', isFirst: true, toolLinkId: 7 };

const addWebhook = (targetUrl = 'https://crm.test/in') =>
	world.service.addHook({ targetUrl, type: 'emailsReplied', ...SETTINGS });

const oneWebhook = () => ({ webhookId: byId(addWebhook()._id) });

/** What each operation with a preview needs to have an item with every field. */
const PREPARED: Readonly<Record<string, () => INodeParameters | Promise<INodeParameters>>> = {
	'webhook/create': () => ({
		targetUrl: 'https://crm.test/in',
		event: 'emailsReplied',
		additionalFields: SETTINGS,
	}),
	'webhook/get': oneWebhook,
	'webhook/delete': oneWebhook,
	'webhook/rotateSecret': oneWebhook,
	'webhook/getAll': () => {
		addWebhook();
		return {};
	},
	// 'http://n8n.test' is this n8n.
	'webhook/deleteMany': () => {
		addWebhook('http://n8n.test/in');
		return { filters: { targetUrl: 'n8n' } };
	},
	'webhook/check': () => {
		addWebhook('http://n8n.test/in');
		return {};
	},
	'webhook/sendTest': async () => {
		await world.activeTrigger(['emailsReplied'], { campaignId: 'cam_1' });
		return { webhookId: byId(world.webhookIds[0]!) };
	},
	'peopleSchema/compare': () => {
		world.service.setSwitches({ schemaFields: 'changed' });
		return {};
	},
};

it.each(Object.entries(PREPARED))(
	'Before %s has run, n8n shows the very fields that its items have',
	async (path, prepare) => {
		const [resource, operation] = path.split('/');
		const parameters = { resource, operation, ...(await prepare()) } as INodeParameters;
		const [item] = jsonOf(await world.runNode(parameters));
		expectPreviewed(item, path);
	},
);

it('No other operation has a preview', () => {
	const ofActions = [...schemaFiles().keys()].filter((file) => file.startsWith('v1.0.0/'));
	const expected = Object.keys(PREPARED).map((path) => `v1.0.0/${path}.json`);
	expect(ofActions.sort()).toEqual(expected.sort());
});

it('The preview of the trigger has every field that an item can have if no option is set', () => {
	const activities = [...EVENT_TYPES].map((type) => sampleActivity(type));
	const schema = preview('v1.1.0');
	const validate = ajv.compile({ ...schema, additionalProperties: false });
	for (const activity of [...activities, { ...activities[0], isThirdPartyReply: true }]) {
		expect([validate(activity), validate.errors]).toEqual([true, null]);
	}
});
