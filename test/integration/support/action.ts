import { ExecuteContext } from 'n8n-core';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { createRunExecutionData } from 'n8n-workflow';

import { actionNode, additionalData, makeNode, makeWorkflow, type Credential } from './n8n';

export type RunOptions = {
	items?: IDataObject[];
	continueOnFail?: boolean;
	signal?: AbortSignal;
};

/** Runs the action node as n8n does, and returns its items. */
export async function runAction(
	credential: Credential,
	parameters: INodeParameters,
	{ items = [{}], continueOnFail = false, signal }: RunOptions = {},
): Promise<INodeExecutionData[]> {
	const node = makeNode('outreachService', parameters, {
		...(continueOnFail ? { onError: 'continueRegularOutput' as const } : {}),
	});
	const workflow = makeWorkflow([node]);
	const input = items.map((json, item) => ({ json, pairedItem: { item } }));
	const context = new ExecuteContext(
		workflow,
		node,
		additionalData(credential).data,
		'manual',
		createRunExecutionData(),
		0,
		input,
		{ main: [input] },
		{ node, data: { main: [input] }, source: null },
		[],
		signal,
	);
	await workflow.expression.acquireIsolate();
	try {
		const [output] = await actionNode.execute.call(context);
		return output ?? [];
	} finally {
		await workflow.expression.releaseIsolate();
	}
}

export const jsonOf = (items: INodeExecutionData[]): IDataObject[] => items.map(({ json }) => json);
