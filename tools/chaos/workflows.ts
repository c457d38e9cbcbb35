/** The workflows under test: what n8n has of them, and what must be true of them. */
import type { N8nCredential, N8nServer } from '../host';
import { nextNode, TRIGGER_NAME, triggerNode } from '../host/workflows';
import { INITIAL_SETTINGS, parametersFor, webhooksFor, type Settings } from './settings';

/** Settings that n8n may be using for a trigger, and when, in milliseconds since 1970. */
interface SettingsPeriod {
	settings: Settings;
	from: number;
	/** Infinity until n8n has reported that it uses newer settings. */
	until: number;
}

export interface Trigger {
	/** The ID of its node. */
	id: string;
	name: string;
	/** Its production URL, without the event. */
	webhookUrl: string;
	testUrl: string;
	/** The latest settings. */
	settings: Settings;
	/** All settings, oldest first. */
	periods: SettingsPeriod[];
}

export interface ChaosWorkflow {
	id: string;
	triggers: Trigger[];
	/** Whether the user has activated it. */
	active: boolean;
	/**
	 * n8n has reported that the workflow is published with the latest settings, and nobody has changed or deactivated it
	 * since. In this state no failure may remove a webhook.
	 */
	published: boolean;
	/** Whether a test run of the workflow waits for its event. */
	listening: boolean;
	/** Whether a fault interrupted a test run: the next test run removes what it left behind. */
	testRunDisturbed: boolean;
	/**
	 * Since when the workflow has to report that webhooks were missing, in milliseconds since 1970: something removed or
	 * disabled one that it needs, and nothing else went wrong since the last rest.
	 */
	mustReportSince: number | undefined;
}

/** Creates a workflow with this many triggers, all connected to the same node. It is to be activated. */
export async function createWorkflow(
	{ client, url }: N8nServer,
	credential: N8nCredential,
	triggerCount: number,
): Promise<ChaosWorkflow> {
	const last = nextNode();
	const nodes = Array.from({ length: triggerCount }, (_, index) =>
		triggerNode(credential, parametersFor(INITIAL_SETTINGS), `${TRIGGER_NAME} ${index + 1}`),
	);
	// The settings select five events at most, each with an output.
	const main = Array.from({ length: 5 }, () => [{ node: last.name, type: 'main', index: 0 }]);
	const { id } = await client.createWorkflow({
		name: 'Chaos',
		nodes: [...nodes, last],
		connections: Object.fromEntries(nodes.map(({ name }) => [name, { main }])),
	});
	return {
		id,
		triggers: nodes.map(({ id: nodeId, name, webhookId }) => ({
			id: nodeId,
			name,
			webhookUrl: `${url}/webhook/${webhookId!}/webhook`,
			testUrl: `${url}/webhook-test/${webhookId!}/webhook`,
			settings: INITIAL_SETTINGS,
			periods: [periodOf(INITIAL_SETTINGS)],
		})),
		active: true,
		published: false,
		listening: false,
		testRunDisturbed: false,
		mustReportSince: undefined,
	};
}

const periodOf = (settings: Settings): SettingsPeriod => ({
	settings,
	from: Date.now(),
	until: Number.POSITIVE_INFINITY,
});

/**
 * Marks a workflow that a user has activated, changed or deactivated. Until n8n reports the result, it may use the old
 * or the new settings, and may call `delete` and `create` at any time (see 'How n8n behaves' in docs/decisions.md).
 */
export function markPending(workflow: ChaosWorkflow): void {
	workflow.published = false;
	workflow.mustReportSince = undefined;
	for (const { settings, periods } of workflow.triggers) periods.push(periodOf(settings));
}

/** Marks a workflow that n8n has reported as published with the latest settings. */
export function markPublished(workflow: ChaosWorkflow): void {
	workflow.published = true;
	for (const { periods } of workflow.triggers) {
		for (const period of periods.slice(0, -1)) period.until = Math.min(period.until, Date.now());
	}
}

/** All webhooks that these workflows must have, as lines (`lineOf`), without those of test runs. */
export const expectedWebhooks = (workflows: readonly ChaosWorkflow[]): string[] =>
	workflows
		.filter(({ active }) => active)
		.flatMap(({ triggers }) => triggers)
		.flatMap(({ settings, webhookUrl }) => webhooksFor(settings, webhookUrl));

/** The webhooks that no failure may remove, as lines. */
export const requiredWebhooks = (workflows: readonly ChaosWorkflow[]): string[] =>
	expectedWebhooks(workflows.filter(({ published }) => published));
