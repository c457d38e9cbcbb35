/**
 * The fields that n8n shows in advance are those that each operation and the trigger output. The world is a local
 * service and both nodes in one process of n8n.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { Ajv2020 } from 'ajv/dist/2020';
import { resolveOutputSchemaPath } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { EVENT_TYPES } from '../../../nodes/OutreachService/domain/eventTypes';
import { sampleActivity } from '../../../tools/service';
import { OutreachServiceTrigger } from '../support/built';
import { byId, jsonOf } from '../support/action';
import { EVERY_OPERATION } from '../support/operations';
import { useWorld } from '../support/world';

const world = useWorld();

const nodeDir = resolve(__dirname, '../../../nodes/OutreachService');

/** The file in which n8n looks for the fields of an output before a node has run. */
const fileOf = (version: number, resource?: string, operation?: string): string =>
	resolveOutputSchemaPath({
		nodeDir,
		version,
		...(resource && operation ? { resource, operation } : {}),
	}) ?? '';

/** One for all, because making it takes long. */
const ajv = new Ajv2020();

const previewSchema = z.object({
	type: z.string(),
	properties: z.record(z.object({}).passthrough()),
});

/** The fields that n8n shows before a node has run. */
const preview = (...of: Parameters<typeof fileOf>) =>
	previewSchema.parse(JSON.parse(readFileSync(fileOf(...of), 'utf8')));

/** Expects an item to have exactly the fields of its preview, and the same one first. */
function expectPreviewed(item: IDataObject | undefined, operation: string): void {
	const schema = preview(1, ...operation.split(': '));
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
	'webhook: create': () => ({
		targetUrl: 'https://crm.test/in',
		event: 'emailsReplied',
		additionalFields: SETTINGS,
	}),
	'webhook: get': oneWebhook,
	'webhook: delete': oneWebhook,
	'webhook: rotateSecret': oneWebhook,
	'webhook: getAll': () => {
		addWebhook();
		return {};
	},
	// 'http://n8n.test' is this n8n.
	'webhook: deleteMany': () => {
		addWebhook('http://n8n.test/in');
		return { filters: { targetUrl: 'n8n' } };
	},
	'webhook: check': () => {
		addWebhook('http://n8n.test/in');
		return {};
	},
	'webhook: sendTest': async () => {
		await world.activeTrigger(['emailsReplied'], { campaignId: 'cam_1' });
		return { webhookId: byId(world.webhookIds[0]!) };
	},
	'peopleSchema: compare': () => {
		world.service.setSwitches({ schemaFields: 'changed' });
		return {};
	},
};

it.each(Object.entries(PREPARED))(
	'Before %s has run, n8n shows the very fields that its items have',
	async (name, prepare) => {
		const [resource, operation] = name.split(': ');
		const parameters = { resource, operation, ...(await prepare()) } as INodeParameters;
		const [item] = jsonOf(await world.runNode(parameters));
		expectPreviewed(item, name);
	},
);

it('Only operations whose output depends on a parameter have no preview', () => {
	const hasPreview = (operation: string) => existsSync(fileOf(1, ...operation.split(': ')));
	const all = EVERY_OPERATION.map(({ operation }) => operation);
	expect(all.filter((one) => !hasPreview(one))).toEqual(['peopleSchema: get', 'api: request']);
	expect(all.filter(hasPreview).sort()).toEqual(Object.keys(PREPARED).sort());
});

it.each(z.array(z.number()).parse(new OutreachServiceTrigger().description.version))(
	'The preview of the trigger in version %s has every field that an item can have if no option is set, and no other',
	(version) => {
		const samples = [...EVENT_TYPES].map((type) => sampleActivity(type));
		const activities = [...samples, { ...samples[0], isThirdPartyReply: true }];
		const schema = preview(version);
		const validate = ajv.compile({ ...schema, additionalProperties: false });
		for (const activity of activities) {
			expect([validate(activity), validate.errors]).toEqual([true, null]);
		}
		const fields = new Set(activities.flatMap((activity) => Object.keys(activity)));
		expect(Object.keys(schema.properties).sort()).toEqual([...fields].sort());
		expect(preview(1, 'webhook', 'sendTest').properties.activity).toEqual(schema);
	},
);
