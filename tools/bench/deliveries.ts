import type { OutreachHost } from '../host';
import { NONE, ratios, sideBySide, total, type Figure, type Target, type Topic } from './figures';
import { measureRound, type Round } from './round';
import type { Scale } from './scale';
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
 * takes four times as long and leaves n8n slower for whoever follows. With a target for our trigger ÷ the other.
 */
const GROUPS: ReadonlyArray<
	ReadonlyArray<
		readonly [
			name: string,
			activate: (host: OutreachHost) => Promise<ComparedWorkflow>,
			targets: Partial<Record<'default' | 'lazy', Target>>,
		]
	>
> = [
	[
		['bare trigger', activateBareTrigger, { default: { atLeast: 0.95 } }],
		['Webhook node', activateWebhookNode, { lazy: { atLeast: 0.95 } }],
		['Webhook node, Header Auth', activateWebhookNodeWithAuth, { lazy: { atLeast: 1 } }],
		[
			'our trigger, Duplicate Memory: Database',
			(host) => activateOurTrigger(host, { duplicateMemory: 'database' }),
			{},
		],
	],
	[
		['built-in trigger', activateBuiltInTrigger, {}],
		['Webhook node, secret check, Remove Duplicates', activateChain, { lazy: { atLeast: 4 } }],
	],
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
		const perSecond = samples.map((sample) => sample.perSecond);
		speeds.push({ name, unit: 'per second', values: perSecond });
		const cpu = { name: `${name}: n8n's CPU time`, unit: 'ms' };
		costs.push({ ...cpu, values: samples.map(({ cpuMs }) => cpuMs) });
		const target = name.startsWith(OURS) ? NONE : undefined;
		const figure = (what: string, of: (sample: Round) => number) => ({
			...{ name: `${name}: ${what}`, unit: 'events', target },
			values: total(all.map(of)),
		});
		losses.push(
			figure('lost', ({ lost }) => lost),
			figure('repeated', ({ repeated }) => repeated),
		);
	};
	const ours = await activateOurTrigger(host);
	for (const [index, group] of GROUPS.entries()) {
		const workflows: Array<readonly [string, ComparedWorkflow]> = [[OURS, ours]];
		for (const [name, activate] of group) workflows.push([name, await activate(host)]);
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
		for (const [name, , targets] of group) {
			const values = ratios(perSecond(OURS), perSecond(name));
			compared.push({ name: `${OURS} ÷ ${name}`, unit: '×', values, target: targets[engine] });
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
