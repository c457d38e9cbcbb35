import type { OutreachHost } from '../host';
import { count, figure, ratio, sideBySide, type Figure, type Scale, type Topic } from './figures';
import { measureRound, type Round } from './round';
import {
	activateBareTrigger,
	activateBuiltInTrigger,
	activateChain,
	activateOurTrigger,
	activateWebhookNode,
	activateWebhookNodeWithAuth,
	type ComparedWorkflow,
} from './workflows';

const SENDERS = 30;
const OURS = 'our trigger';

/**
 * What our trigger is compared with, one group after the other: the second evaluates expressions, each execution of which
 * takes four times as long and leaves n8n slower for whoever follows.
 */
const GROUPS: ReadonlyArray<
	Readonly<Record<string, (host: OutreachHost) => Promise<ComparedWorkflow>>>
> = [
	{
		'bare trigger': activateBareTrigger,
		'Webhook node': activateWebhookNode,
		'Webhook node, Header Auth': activateWebhookNodeWithAuth,
		'our trigger, Duplicate Memory: Database': (host) =>
			activateOurTrigger(host, { duplicateMemory: 'database' }),
	},
	{
		'built-in trigger': activateBuiltInTrigger,
		'Webhook node, secret check, Remove Duplicates': activateChain,
	},
];

/** Completed executions per second and lost events of each workflow. */
export async function deliveries(
	host: OutreachHost,
	{ engine, rounds, deliveryMs }: Scale,
): Promise<Topic[]> {
	const speeds: Figure[] = [];
	const compared: Figure[] = [];
	const costs: Figure[] = [];
	const losses: Figure[] = [];
	const add = (name: string, samples: Round[], all: Round[]) => {
		const atMost = name.startsWith(OURS) ? 0 : undefined;
		const perSecond = samples.map((round) => round.perSecond);
		const cpuMs = samples.map((round) => round.cpuMs);
		const lost = all.map((round) => round.lost);
		const repeated = all.map((round) => round.repeated);
		speeds.push(figure(name, 'per second', perSecond));
		costs.push(figure(`${name}: n8n's CPU time`, 'ms', cpuMs));
		losses.push(count(`${name}: lost`, 'events', lost, atMost));
		losses.push(count(`${name}: repeated`, 'events', repeated, atMost));
	};
	const ours = await activateOurTrigger(host);
	for (const [index, group] of GROUPS.entries()) {
		const workflows: Array<readonly [string, ComparedWorkflow]> = [[OURS, ours]];
		for (const [name, activate] of Object.entries(group)) {
			workflows.push([name, await activate(host)]);
		}
		const measured = (forMs: number) =>
			workflows.map(
				([name, workflow]) =>
					[name, () => measureRound(host, workflow, { forMs, senders: SENDERS })] as const,
			);
		// Not timed: for its first few hundred executions n8n is still being compiled. Events lost here count.
		const warmUp = await sideBySide(measured(2 * deliveryMs), rounds > 1 ? 1 : 0);
		const timed = await sideBySide(measured(deliveryMs), rounds);
		const perSecond = (name: string) => timed(name).map((sample) => sample.perSecond);
		for (const [name] of index === 0 ? workflows : workflows.slice(1)) {
			add(name, timed(name), [...warmUp(name), ...timed(name)]);
		}
		for (const name of Object.keys(group)) {
			compared.push(ratio(`${OURS} ÷ ${name}`, perSecond(OURS), perSecond(name)));
		}
	}
	return [
		{
			title: `Completed executions, ${engine} expression engine`,
			figures: [...speeds, ...compared, ...costs],
		},
		{ title: `Events of these, ${engine} expression engine`, figures: losses },
	];
}
