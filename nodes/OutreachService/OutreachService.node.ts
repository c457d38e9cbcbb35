import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { actionProperties, runOperation } from './actions';
import { ItemOutcomes } from './actions/itemOutcomes';
import { inOneLine, shownError, withDescription } from './actions/itemErrors';
import { sharingReads } from './actions/sharedReads';
import { actionSubtitle } from './actions/subtitle';
import { createClient } from './api/createClient';
import { createTargets } from './api/targets';
import { testCredential } from './methods/credentialTest';
import { searchWebhooks } from './methods/listSearch';
import { processRuntime, withRuntime, type Runtime } from './runtime/runtime';
import { mapConcurrently } from './utils/mapConcurrently';
import { settle, type Settled } from './utils/settle';

/** What an item looks like, for n8n's AI builder. */
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
			'Manages and tests the webhooks of your outreach team, and detects changes to the people schema',
		defaults: { name: 'Outreach Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'outreachServiceApi', required: true, testedBy: 'outreachServiceApiTest' },
		],
		builderHint: {
			searchHint: `Manages webhooks; it sends no messages and changes no leads. A webhook is one item: ${SAMPLE_WEBHOOK}; without 'type' it is for all events. To start a workflow on an event, use the Outreach Service Trigger.`,
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

	execute = withRuntime(this, runItems);

	/** @param runtime what the process remembers; n8n gives none */
	constructor(readonly runtime: Runtime = processRuntime) {}
}

/** Runs the operation of each item, several at a time. */
async function runItems(ctx: IExecuteFunctions, runtime: Runtime): Promise<INodeExecutionData[][]> {
	const signal = ctx.getExecutionCancelSignal();
	const client = sharingReads(createClient(ctx, runtime, { signal }));
	const targets = createTargets(ctx, signal);
	const itemOutcomes = new ItemOutcomes();
	const isStopped = (): boolean => signal?.aborted === true;
	const results = await settle(
		mapConcurrently(ctx.getInputData(), async (_item, index) => {
			const result = await settle(runOperation({ ctx, client, targets, runtime }, index));
			if (result.ok) {
				itemOutcomes.add(index, result.value);
				return pair(result.value.output, index);
			}
			itemOutcomes.addFailure(index, result.error);
			const error = shownError(ctx, result.error, index);
			// After stopping an execution, the user does not want an item for each request that was left out.
			if (isStopped() || !ctx.continueOnFail()) throw error;
			return pair([{ error: inOneLine(error) }], index);
		}),
	);
	const done = itemOutcomes.describe({ withFirst: true });
	if (done !== undefined) {
		const { name, retryOnFail } = ctx.getNode();
		// n8n shows neither the output nor the error of an execution that was stopped, nor those of the earlier tries.
		if (isStopped()) ctx.logger.warn(`An execution of "${name}" was stopped. ${done}`);
		else if (retryOnFail === true && isFailure(results)) {
			ctx.logger.warn(
				`An item of "${name}" failed, and 'Retry On Fail' runs all items again. ${done}`,
			);
		}
	}
	if (results.ok) return [results.value.flat()];
	const error = withDescription(results.error, itemOutcomes.describe({ withFirst: false }));
	// n8n tells an AI agent nothing but the message of a tool's error.
	if (ctx.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool)
		error.message = inOneLine(error);
	throw error;
}

/** Whether n8n takes a run for failed, and may run all items again: also when the first item of its output has an error. */
const isFailure = (results: Settled<INodeExecutionData[][]>): boolean =>
	!results.ok || (results.value.flat()[0]?.json.error ?? false) !== false;

const pair = (data: IDataObject[], item: number): INodeExecutionData[] =>
	data.map((json) => ({ json, pairedItem: { item } }));
