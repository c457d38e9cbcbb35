/** The action node, as n8n loads it. */
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { actionProperties, actionSubtitle } from './actions';
import { execute } from './actions/execute';
import { testCredential } from './methods/credentialTest';
import { searchWebhooks } from './methods/listSearch';
import { processRuntime, withRuntime, type Runtime } from './runtime/runtime';

/** A webhook as an item, for n8n's AI builder. */
const SAMPLE_WEBHOOK = JSON.stringify({
	_id: 'hoo_4fT9x',
	targetUrl: 'https://crm.example.com/hooks/outreach',
	type: 'emailsReplied',
	campaignId: 'cam_8QkzT2',
	createdAt: '2026-03-02T08:15:00.000Z',
});

export class OutreachService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Outreach Service',
		name: 'outreachService',
		icon: { light: 'file:outreachService.svg', dark: 'file:outreachService.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: actionSubtitle,
		description:
			'Manages and tests the webhooks of your outreach team, checks the people schema, and sends other requests',
		defaults: { name: 'Outreach Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'outreachServiceApi', required: true, testedBy: 'outreachServiceApiTest' },
		],
		builderHint: {
			searchHint: `Manages webhooks. For anything else, it has 'Make an API Request', which needs the path of a route of the service. A webhook is one item: ${SAMPLE_WEBHOOK}; without 'type' it is for all events. To start a workflow on an event, use the Outreach Service Trigger.`,
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-outreach-service.outreachServiceTrigger',
					relationHint: 'Starts a workflow on replies, bounces, calls and other events',
				},
			],
		},
		properties: actionProperties,
	};

	methods = {
		credentialTest: { outreachServiceApiTest: withRuntime(this, testCredential) },
		listSearch: { searchWebhooks: withRuntime(this, searchWebhooks) },
	};

	execute = withRuntime(this, execute);

	/** @param runtime what the process remembers; n8n passes no argument */
	constructor(readonly runtime: Runtime = processRuntime) {}
}
