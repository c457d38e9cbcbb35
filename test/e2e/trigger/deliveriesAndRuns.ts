import type { Deliver } from '../../../tools/load/send';
import { itemsOf, waitFor, type WaitOptions } from '../../../tools/host';
import type { OutreachHost } from '../outreachHost';
import { TRIGGER_NAME } from '../../../tools/host/workflows';

/** Events of different groups, none of which delivers the activities of another. */
export const FIVE_EVENTS = [
	'emailsReplied',
	'emailsBounced',
	'smsReplied',
	'dialerEnded',
	'paused',
] as const;

/** The types of all webhooks at the service in alphabetical order, `*` for all events. */
export function typesAt({ service }: OutreachHost): string[] {
	return service
		.hooks()
		.map(({ type }) => type ?? '*')
		.sort();
}

/** Waits until `count` executions have succeeded and none is in progress. @returns their activities, oldest first */
export async function runsOf(
	{ server }: OutreachHost,
	workflowId: string,
	count: number,
	options: WaitOptions = {},
): Promise<Array<Record<string, unknown>>> {
	const { executions } = server.client;
	await waitFor(
		`${count} successful executions of workflow ${workflowId}`,
		() => executions.list({ workflowId }),
		(seen) => seen.length >= count && seen.every(({ status }) => status === 'success'),
		{ everyMs: 300, ...options },
	);
	const finished = await executions.waitForFinished(workflowId, count, options);
	return finished.flatMap((execution) => itemsOf(execution, TRIGGER_NAME));
}

/** Delivers one activity of each type. @returns an ID for each accepted delivery */
export async function deliverEach(
	{ service }: OutreachHost,
	types: readonly string[],
	fields: Record<string, unknown> = {},
): Promise<string[]> {
	const accepted: string[] = [];
	for (const type of types) {
		const entries = await service.emit({ type, ...fields });
		expect(entries.map(({ status, error }) => error ?? status)).toEqual(entries.map(() => 200));
		accepted.push(...entries.map(({ activityId }) => String(activityId)));
	}
	return accepted;
}

/** Sends a POST request to n8n, as any client can. @returns the status */
export async function post(url: string, body: string): Promise<number> {
	const headers = { 'content-type': 'application/json' };
	const response = await fetch(url, { method: 'POST', headers, body });
	await response.text();
	return response.status;
}

/** Has the local service deliver email replies: it knows its webhooks' secrets, and when to deliver again. */
export const deliveredBy =
	({ service }: Pick<OutreachHost, 'service'>): Deliver =>
	async ({ id }) => {
		const entries = await service.emit({ type: 'emailsReplied', _id: id });
		return entries.map(({ at, ms, status }) => {
			const from = Date.parse(at);
			return { event: id, isForged: false, from, until: from + ms, status };
		});
	};
