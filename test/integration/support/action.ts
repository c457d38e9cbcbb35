import { ExecuteContext } from 'n8n-core';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { createRunExecutionData, NodeConnectionTypes } from 'n8n-workflow';

import { additionalData, makeNode, type Credential, type N8n } from './n8n';

export type RunOptions = {
	items?: IDataObject[];
	continueOnFail?: boolean;
	/** Runs it as n8n's engine runs a tool for an agent. */
	asTool?: boolean;
	signal?: AbortSignal;
};

/** One execution of the action node, in n8n-core's context for it. */
export type ActionExecution = ReturnType<typeof actionExecution>;

/** Prepares an execution of the action node; `run` runs it as n8n does, and returns its items. */
export function actionExecution(
	n8n: N8n,
	credential: Credential,
	parameters: INodeParameters = {},
	{ items = [{}], continueOnFail = false, asTool = false, signal }: RunOptions = {},
) {
	const node = makeNode('outreachService', parameters, {
		...(continueOnFail ? { onError: 'continueRegularOutput' as const } : {}),
		...(asTool ? { rewireOutputLogTo: NodeConnectionTypes.AiTool } : {}),
	});
	const workflow = n8n.makeWorkflow([node]);
	const input = items.map((json, item) => ({ json, pairedItem: { item } }));
	const { data, reads, failReads } = additionalData(credential);
	const context = new ExecuteContext(
		workflow,
		node,
		data,
		'manual',
		createRunExecutionData(),
		0,
		input,
		{ main: [input] },
		{ node, data: { main: [input] }, source: null },
		[],
		signal,
	);
	const run = async (): Promise<INodeExecutionData[]> => {
		await workflow.expression.acquireIsolate();
		try {
			const [output] = await n8n.actionNode.execute.call(context);
			return output ?? [];
		} finally {
			await workflow.expression.releaseIsolate();
		}
	};
	return { credential, context, run, credentialReads: reads, failCredentialReads: failReads };
}

/** The error of an execution that must fail. */
export async function failureOf(execution: ActionExecution): Promise<ShownError> {
	const result = await execution.run().catch((error: unknown) => error);
	if (result instanceof Error) return result;
	throw new Error(`The execution did not fail, but returned ${JSON.stringify(result)}`);
}

/** An error with the parts that n8n shows. */
export type ShownError = Error & {
	description?: string | null;
	httpCode?: string | null;
	context?: IDataObject;
};

export const jsonOf = (items: INodeExecutionData[]): IDataObject[] => items.map(({ json }) => json);

/** The value of the resource locator, as the editor stores it. */
export const byId = (value: string, mode: 'id' | 'list' = 'id') => ({
	__rl: true as const,
	mode,
	value,
});
