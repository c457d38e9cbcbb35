import { errorOf, itemsOf, type N8nExecution, type N8nServer } from '../host';
import type { RunningService } from '../service';
import { printTable } from '../terminal/print';
import { TRIGGER_NAME, type DEMO_EVENTS } from './workflow';

/** An activity that the service delivered, and its ID. */
interface Delivered {
	id: string;
	activity: Record<string, string> & { type: (typeof DEMO_EVENTS)[number] };
}

const ACTIVITIES: ReadonlyArray<Delivered['activity']> = [
	{
		type: 'emailsReplied',
		leadEmail: 'ada@example.com',
		leadFirstName: 'Ada',
		leadLastName: 'Lovelace',
		campaignName: 'Autumn outreach',
		subject: 'Re: A quick question',
	},
	{
		type: 'networkInviteAccepted',
		leadEmail: 'grace@example.com',
		leadFirstName: 'Grace',
		leadLastName: 'Hopper',
		campaignName: 'Autumn outreach',
	},
	{
		type: 'dialerEnded',
		leadEmail: 'alan@example.com',
		leadFirstName: 'Alan',
		leadLastName: 'Turing',
		campaignName: 'Follow-up calls',
	},
];

/**
 * Has the service deliver one activity of each event.
 *
 * @throws unless n8n accepts each activity exactly once
 */
export async function deliverActivities(service: RunningService): Promise<Delivered[]> {
	const delivered: Delivered[] = [];
	for (const activity of ACTIVITIES) {
		const [entry, ...more] = await service.emit(activity);
		if (entry?.activityId === undefined || entry.status !== 200 || more.length > 0) {
			const ledger = entry === undefined ? 'no webhook matched' : JSON.stringify([entry, ...more]);
			throw new Error(`${activity.type} was not accepted exactly once: ${ledger}`);
		}
		delivered.push({ id: entry.activityId, activity });
	}
	return delivered;
}

/**
 * Waits for the executions and prints them.
 *
 * @throws unless there is exactly one successful execution for each activity, with its data
 */
export async function checkExecutions(
	{ client }: N8nServer,
	workflowId: string,
	delivered: Delivered[],
): Promise<void> {
	const executions = await client.executions.waitForFinished(workflowId, delivered.length, {
		timeoutMs: 60_000,
	});
	printTable(
		['event', 'lead', 'campaign', 'activity', 'execution', 'status'],
		executions.map((execution) => {
			const [item = {}] = itemsOf(execution, TRIGGER_NAME);
			const lead = `${text(item.leadFirstName)} ${text(item.leadLastName)} <${text(item.leadEmail)}>`;
			const received = [text(item.type), lead, text(item.campaignName), text(item._id)];
			return [...received, execution.id, execution.status];
		}),
	);
	const problems = [
		...delivered.flatMap((one) => problemWith(one, executions)),
		...(executions.length === delivered.length
			? []
			: [`There are ${executions.length} executions instead of ${delivered.length}.`]),
	];
	if (problems.length > 0) throw new Error(problems.join('\n'));
}

function problemWith({ id, activity }: Delivered, executions: N8nExecution[]): string[] {
	const name = `${activity.type} (${id})`;
	const execution = executions.find((one) => itemsOf(one, TRIGGER_NAME)[0]?._id === id);
	if (execution === undefined) return [`${name} started no execution.`];
	if (execution.status !== 'success') {
		return [
			`${name}: execution ${execution.id} finished with status ${execution.status}: ${errorOf(execution) ?? ''}`,
		];
	}
	const items = itemsOf(execution, TRIGGER_NAME);
	const item = items[0] ?? {};
	return [
		...Object.entries(activity)
			.filter(([field, value]) => item[field] !== value)
			.map(([field, value]) => `${name}: ${field} is ${text(item[field])} instead of ${value}.`),
		...(items.length === 1 ? [] : [`${name} resulted in ${items.length} items.`]),
		...('secret' in item ? [`${name}: the item contains the secret.`] : []),
	];
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : '–';
}
