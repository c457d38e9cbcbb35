import { itemsOf, waitFor, type WaitOptions } from '../../../tools/host';
import type { HookView } from '../../../tools/service';
import type { OutreachHost } from '../outreachHost';
import { TRIGGER_NAME } from '../../../tools/host/workflows';

/** Of different groups of the interface, and none that brings another one's activities. */
export const FIVE_EVENTS = [
	'emailsReplied',
	'emailsBounced',
	'smsReplied',
	'dialerEnded',
	'paused',
] as const;

/** The types of all hooks at the service in alphabetical order, `*` for all events. */
export function typesAt({ service }: OutreachHost): string[] {
	return service
		.hooks()
		.map(({ type }) => type ?? '*')
		.sort();
}

/** Of each finished run of a workflow, the activity it ran with; oldest first. Waits until `count` are done and none is under way. */
export async function runsOf(
	{ server }: OutreachHost,
	workflowId: string,
	count: number,
	options: WaitOptions = {},
): Promise<Array<Record<string, unknown>>> {
	const { executions } = server.client;
	await waitFor(
		`${count} runs of workflow ${workflowId}, and none under way`,
		() => executions.list({ workflowId }),
		(seen) => seen.length >= count && seen.every(({ status }) => status === 'success'),
		{ everyMs: 300, ...options },
	);
	const finished = await executions.waitForFinished(workflowId, count, options);
	return finished.flatMap((execution) => itemsOf(execution, TRIGGER_NAME));
}

/** Lets one activity of each type happen. @returns their IDs, each once for every hook that took it */
export async function deliverEach(
	{ service }: OutreachHost,
	types: readonly string[],
	fields: Record<string, unknown> = {},
): Promise<string[]> {
	const taken: string[] = [];
	for (const type of types) {
		const entries = await service.emit({ type, ...fields });
		expect(entries.map(({ status, error }) => error ?? status)).toEqual(entries.map(() => 200));
		taken.push(...entries.map(({ activityId }) => String(activityId)));
	}
	return taken;
}

/** The address of a hook without the event in its query. */
export const placeOf = ({ targetUrl }: Pick<HookView, 'targetUrl'>): string =>
	targetUrl.replace(/\?.*$/, '');

/** Posts something to an address of n8n's, as anybody can. @returns the status */
export async function post(url: string, body: string): Promise<number> {
	const headers = { 'content-type': 'application/json' };
	const response = await fetch(url, { method: 'POST', headers, body });
	await response.text();
	return response.status;
}
