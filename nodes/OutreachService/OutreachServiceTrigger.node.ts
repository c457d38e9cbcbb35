/** The trigger node, as n8n loads it. */
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { testCredential } from './methods/credentialTest';
import { SAMPLE_EVENT } from './domain/eventTypes';
import { sampleActivity } from './domain/sample';
import { processRuntime, withRuntime, type Runtime } from './runtime/runtime';
import { executeTrigger } from './trigger/execution/executeTrigger';
import { receive } from './trigger/delivery/receive';
import { triggerProperties } from './trigger/description/properties';
import { triggerOutputs, triggerSubtitle } from './trigger/description/canvas';
import { lifecycleOf } from './trigger/lifecycle';
import { startChecks } from './trigger/registration/checks';

/** An event as an item, for n8n's AI builder. */
const SAMPLE_ITEM = JSON.stringify(
	sampleActivity(SAMPLE_EVENT, { _id: 'act_7Hq2', createdAt: '2026-03-02T08:15:00.000Z' }),
);

export class OutreachServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Outreach Service Trigger',
		name: 'outreachServiceTrigger',
		icon: { light: 'file:outreachService.svg', dark: 'file:outreachService.dark.svg' },
		group: ['trigger'],
		// Both behave the same. People and AI models write 1, as for most nodes. The default is not exactly 1, because n8n then evaluates
		// an expression on every delivery (a binary-data option of old webhook nodes). In n8n 2.40 that costs nothing measurable.
		version: [1, 1.1],
		defaultVersion: 1.1,
		subtitle: triggerSubtitle,
		description:
			'Starts the workflow on events of your outreach campaigns: replies, bounces, calls, accepted invites and more',
		defaults: { name: 'Outreach Service Trigger' },
		inputs: [],
		outputs: triggerOutputs,
		credentials: [
			{ name: 'outreachServiceApi', required: true, testedBy: 'outreachServiceApiTest' },
		],
		// None of these values is an expression: n8n would evaluate it on every delivery, at the same cost as above.
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: 'noData',
				path: 'webhook',
				// Nobody needs to copy the URL: the node registers it, and accepts only deliveries with its secret.
				ndvHideUrl: true,
			},
		],
		// The canvas shows this while a test run waits for its event. n8n's own text is 'create an event in Outreach Service'.
		eventTriggerDescription:
			"Waiting two minutes for an event. To test without one, stop this test run, and add the option 'Test With'",
		// The editor shows this after a click on 'Publish' or 'Activate': on n8n 2 before any webhook is registered.
		activationMessage:
			'n8n now registers its webhooks at the service. Once they exist, each selected event starts an execution. If n8n cannot register them, the editor says why.',
		triggerPanel: {
			header: 'Wait for an event',
			// n8n 1 labels the button differently from n8n 2, and says 'activate' in place of 'publish': these texts fit both.
			executionsHelp: {
				inactive:
					"<b>To test without an event</b>, add the option 'Test With', and click the orange button.<br /><br /><b>To test with a real event</b>, click the orange button, then make the event happen: for example, reply to an email of a test campaign in which you are a lead. n8n listens for two minutes.<br /><br /><b>When the workflow is ready</b>, publish (activate) it. From then on, its runs are in the list of executions.",
				active:
					"<b>To test without an event</b>, add the option 'Test With', and click the orange button.<br /><br /><b>To test with a real event</b>, click the orange button, then make the event happen: n8n listens for two minutes. The published workflow keeps running during the test.<br /><br /><b>Your workflow is published (active)</b>: its runs are in the list of executions.",
			},
			activationHint:
				"No event at hand? Add the option 'Test With'. When you publish (activate) the workflow, n8n registers its webhooks at the service; when you unpublish (deactivate) it, n8n removes them.",
		},
		builderHint: {
			searchHint: `Set 'events' to event types such as ['emailsReplied']. Each event is one flat item: ${SAMPLE_ITEM}. Fields that an event does not have are missing. To limit campaigns or fields use its options, not an If node. To treat events differently set options.outputs to 'perEvent', not a Switch node: output 0 is that of the first event, and so on; with '*' in 'events', the last is everything else.`,
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-outreach-service.outreachService',
					relationHint: 'Lists, creates and deletes webhooks; the trigger does not need it',
				},
			],
		},
		properties: triggerProperties,
	};

	methods = { credentialTest: { outreachServiceApiTest: withRuntime(this, testCredential) } };

	webhookMethods = {
		default: lifecycleOf(this),
	};

	webhook = withRuntime(this, receive);

	/** n8n calls it on an activation and at each of its starts. It registers the cron job of the checks. */
	trigger = withRuntime(this, startChecks);

	/**
	 * n8n calls it in each execution. It passes on the events, without those that the database recognizes as duplicates.
	 * If the node had no `execute`, n8n would call `trigger` in a manual run, and wait forever.
	 */
	execute = withRuntime(this, executeTrigger);

	/** @param runtime what the process remembers; n8n passes no argument */
	constructor(readonly runtime: Runtime = processRuntime) {}
}
