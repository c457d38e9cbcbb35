import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { actionProperties, runOperation } from './actions';
import { CarriedOut } from './actions/carriedOut';
import { withoutSecrets } from './actions/secrets';
import { searchWebhooks } from './methods/listSearch';
import { actionSubtitle } from './actions/subtitle';
import { CancelledError } from './api/cancellation';
import { mapConcurrently } from './utils/mapConcurrently';
import { testCredential } from './methods/credentialTest';
import { settle } from './utils/settle';

/** How many items are worked on at a time: enough to use the service's full pace over a slow network. */
const CONCURRENCY = 5;

export class OutreachService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Outreach Service',
		name: 'outreachService',
		icon: { light: 'file:outreachService.svg', dark: 'file:outreachService.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: actionSubtitle,
		description:
			'Manages the webhooks of your outreach campaigns, and tells when the people records change',
		defaults: { name: 'Outreach Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'outreachServiceApi', required: true, testedBy: 'outreachServiceApiTest' },
		],
		properties: actionProperties,
	};

	methods = {
		credentialTest: { outreachServiceApiTest: testCredential },
		listSearch: { searchWebhooks },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const carriedOut = new CarriedOut(this);
		const isStopped = (): boolean => this.getExecutionCancelSignal()?.aborted === true;
		const results = await settle(
			mapConcurrently(items, CONCURRENCY, async (_item, index) => {
				const result = await settle(runOperation(this, index));
				if (result.ok) {
					carriedOut.add(index, result.value);
					return pair(result.value, index);
				}
				const error = asNodeError(this, result.error, index);
				// Who stops an execution does not want an item for everything that was left undone.
				if (isStopped() || !this.continueOnFail()) throw error;
				return pair([{ error: inOneLine(error) }], index);
			}),
		);
		const done = carriedOut.inWords();
		// n8n shows neither the output nor the error of an execution that was stopped.
		if (done !== undefined && isStopped()) {
			this.logger.warn(`An execution of "${this.getNode().name}" was stopped. ${done}`);
		}
		if (results.ok) return [results.value.flat()];
		throw withDescription(results.error, done);
	}
}

/** Adds what other items have changed to the error of one. */
function withDescription(error: Error, more: string | undefined): Error {
	const isOurs = error instanceof NodeApiError || error instanceof NodeOperationError;
	if (isOurs && more !== undefined) error.description = [error.description, more].join(' ').trim();
	return error;
}

const pair = (data: IDataObject[], item: number): INodeExecutionData[] =>
	data.map((json) => ({ json, pairedItem: { item } }));

/** What happened and what to do: with continue-on-fail nobody sees the description otherwise. */
const inOneLine = ({
	message,
	description,
}: Error & { description?: string | null | undefined }): string =>
	description ? `${message}. ${description}` : message;

function asNodeError(
	ctx: IExecuteFunctions,
	error: Error,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	const isOurs = error instanceof NodeApiError || error instanceof NodeOperationError;
	const nodeError = isOurs
		? error
		: new NodeOperationError(ctx.getNode(), error, {
				itemIndex,
				...(error instanceof CancelledError ? { description: error.description } : {}),
			});
	// n8n stores an error with the node that it comes from, parameters and all.
	const { node } = nodeError;
	return Object.assign(nodeError, {
		node: { ...node, parameters: withoutSecrets(node.parameters) },
	});
}
