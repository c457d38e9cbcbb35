import { ExecuteContext, LoadOptionsContext } from 'n8n-core';
import type {
	IDataObject,
	INodeExecutionData,
	INodeListSearchResult,
	INodeParameters,
} from 'n8n-workflow';
import { createRunExecutionData } from 'n8n-workflow';

import { actionNode, additionalData, makeNode, makeWorkflow, type Credential } from './n8n';

export type RunOptions = {
	items?: IDataObject[];
	continueOnFail?: boolean;
	signal?: AbortSignal;
};

/** One execution of the action node: n8n-core's context for it, and how often its credential was read. */
export function actionExecution(
	credential: Credential,
	parameters: INodeParameters = {},
	{ items = [{}], continueOnFail = false, signal }: RunOptions = {},
) {
	const node = makeNode('outreachService', parameters, {
		...(continueOnFail ? { onError: 'continueRegularOutput' as const } : {}),
	});
	const workflow = makeWorkflow([node]);
	const input = items.map((json, item) => ({ json, pairedItem: { item } }));
	const extra = additionalData(credential);
	const context = new ExecuteContext(
		workflow,
		node,
		extra.data,
		'manual',
		createRunExecutionData(),
		0,
		input,
		{ main: [input] },
		{ node, data: { main: [input] }, source: null },
		[],
		signal,
	);
	const { reads: credentialReads, failReads: failCredentialReads } = extra;
	return { context, workflow, credentialReads, failCredentialReads };
}

/** Runs the action node as n8n does, and returns its items. */
export async function runAction(
	credential: Credential,
	parameters: INodeParameters,
	options: RunOptions = {},
): Promise<INodeExecutionData[]> {
	const { context, workflow } = actionExecution(credential, parameters, options);
	await workflow.expression.acquireIsolate();
	try {
		const [output] = await actionNode.execute.call(context);
		return output ?? [];
	} finally {
		await workflow.expression.releaseIsolate();
	}
}

/** Runs the action node where it has to fail, and returns its error. */
export async function failAction(...args: Parameters<typeof runAction>): Promise<ShownError> {
	const result = await runAction(...args).then(
		(items) => items,
		(error: unknown) => error,
	);
	if (result instanceof Error) return result;
	throw new Error(`It did not fail, but gave ${JSON.stringify(result)}`);
}

/** What n8n shows of an error. */
export type ShownError = Error & {
	description?: string | null;
	httpCode?: string | null;
	context?: IDataObject;
};

/** What the list of webhooks in the editor shows. */
export async function searchList(
	credential: Credential,
	filter?: string,
): Promise<INodeListSearchResult> {
	const node = makeNode('outreachService', {});
	const { data } = additionalData(credential);
	const context = new LoadOptionsContext(makeWorkflow([node]), node, data, '/webhookId');
	return await actionNode.methods.listSearch.searchWebhooks.call(context, filter);
}

export const jsonOf = (items: INodeExecutionData[]): IDataObject[] => items.map(({ json }) => json);
