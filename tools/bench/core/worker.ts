/** A child process that runs nodes in n8n-core: runs one job for each message, and responds with one message. */
import { additionalDataFor } from './additionalData';
import { WorkflowExecute } from 'n8n-core';
import { createRunExecutionData, Workflow, type INode, type INodeParameters } from 'n8n-workflow';
import { doneSchema, jobSchema, type CoreJob, type CoreResult } from './job';
import { httpRequest, onlyNode, ourAction } from './loadedNodes';
import { withPeakMemory } from './peakMemory';

const NAME = 'Node';
const TYPES = {
	'our node': 'n8n-nodes-outreach-service.outreachService',
	'HTTP Request': 'n8n-nodes-base.httpRequest',
};

function parametersOf({ node, baseUrl, deleteIds }: CoreJob): INodeParameters {
	if (node === 'our node') {
		return deleteIds
			? { resource: 'webhook', operation: 'delete', webhookId: webhookLocator('={{ $json.id }}') }
			: { resource: 'webhook', operation: 'getAll', returnAll: true };
	}
	return {
		method: deleteIds ? 'DELETE' : 'GET',
		url: deleteIds ? `=${baseUrl}/hooks/{{ $json.id }}` : `${baseUrl}/hooks`,
		authentication: 'genericCredentialType',
		genericAuthType: 'httpBasicAuth',
		options: {},
	};
}

const webhookLocator = (value: string): INodeParameters => ({ __rl: true, mode: 'id', value });

async function execute(job: CoreJob) {
	const type = job.node === 'our node' ? ourAction() : httpRequest(job.n8nFolder);
	const { version } = type.description;
	const node: INode = {
		...{ id: '1', name: NAME, type: TYPES[job.node], position: [0, 0] },
		typeVersion: typeof version === 'number' ? version : Math.max(...version),
		parameters: parametersOf(job),
		credentials: {
			outreachServiceApi: { id: '1', name: 'Service' },
			httpBasicAuth: { id: '2', name: 'For the HTTP Request node' },
		},
	};
	const workflow = new Workflow({
		...{ id: '1', nodes: [node], connections: {}, active: true },
		nodeTypes: onlyNode(type),
	});
	const items = (job.deleteIds ?? ['']).map((id) => ({ json: { id } }));
	const data = createRunExecutionData({
		executionData: {
			nodeExecutionStack: [{ node, data: { main: [items] }, source: null }],
		},
	});
	const additionalData = additionalDataFor(workflow, 'trigger', job);
	const startedAt = performance.now();
	await workflow.expression.acquireIsolate();
	const run = await new WorkflowExecute(additionalData, 'trigger', data).processRunExecutionData(
		workflow,
	);
	await workflow.expression.releaseIsolate();
	return { ms: performance.now() - startedAt, run };
}

async function runJob(job: CoreJob): Promise<CoreResult> {
	const { result, peakMb } = await withPeakMemory(() => execute(job));
	const { error, runData } = result.run.data.resultData;
	const items = runData[NAME]?.[0]?.data?.main?.[0]?.length ?? 0;
	return doneSchema.parse({ ms: result.ms, items, peakMb, error: error?.message });
}

process.on('message', (message) => {
	void runJob(jobSchema.parse(message)).then((done) => process.send?.(done));
});
// The parent has ended.
process.on('disconnect', () => process.exit());
