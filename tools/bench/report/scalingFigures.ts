import { z } from 'zod';
import type { Target } from './row';

/** A full run's report, as far as the documents show it. */
export const reportSchema = z.object({
	taken: z.string(),
	/** Topics that were measured again after the full run. */
	updates: z.array(z.object({ taken: z.string(), topics: z.array(z.string()) })).default([]),
	quick: z.boolean(),
	node: z.string(),
	processor: z.string(),
	n8n: z.string(),
	rows: z.array(
		z.object({
			topic: z.string(),
			name: z.string(),
			unit: z.string(),
			value: z.number(),
			spread: z.tuple([z.number(), z.number()]),
			rounds: z.number(),
			target: z
				.object({ atLeast: z.number(), atMost: z.number() })
				.partial()
				.transform(
					({ atLeast, atMost }): Target => ({
						...(atLeast === undefined ? {} : { atLeast }),
						...(atMost === undefined ? {} : { atMost }),
					}),
				)
				.optional(),
		}),
	),
});
export type Report = z.infer<typeof reportSchema>;

/** The date of a full run, and of the topics that were measured again. */
export const measuredOn = ({ taken, updates }: Pick<Report, 'taken' | 'updates'>): string =>
	[
		taken.slice(0, 10),
		...updates.map((one) => `${one.topics.join(' and ')} on ${one.taken.slice(0, 10)}`),
	].join(', ');

const BEGIN = '<!-- From benchmarks/results.json, by `npm run bench`: do not edit. -->';
const END = '<!-- Up to here. -->';

const THROUGHPUT: ReadonlyArray<[label: string, topic: string, name: string]> = [
	['Outreach Service Trigger', 'Completed executions', 'our trigger'],
	["n8n's Webhook node, no verification", 'Completed executions', 'Webhook node'],
	['Webhook node, secret check, Remove Duplicates', 'Completed executions', 'chain'],
	['Forged calls rejected by the trigger', 'Refusals of forged calls', 'our trigger'],
];

const OTHERS: ReadonlyArray<[label: string, topic: string, name: string, unit: string]> = [
	['Activate with 1 event', 'Activation of our trigger', '1 event type: time', 's'],
	['Activate with 50 events', 'Activation of our trigger', '50 event types: time', 's'],
	['Delete 200 webhooks', '200 deletions in one execution', 'our node: time', 's'],
	[
		'Delete 600 webhooks, three executions in one process',
		'3 × 200 deletions, three executions at once',
		'our node: time',
		's',
	],
	[
		'Delete 600 webhooks, three processes',
		'3 × 200 deletions, three processes at once',
		'our node: time',
		's',
	],
	[
		'_Get Many_ with 10,000 webhooks, peak memory',
		'Get Many: all webhooks of a team',
		'peak memory for 10000: our node',
		'MB',
	],
	[
		'_Get Many_ with 100,000 webhooks, peak memory',
		'Get Many: all webhooks of a team',
		'peak memory for 100000: our node',
		'MB',
	],
];

/** Two significant digits: more would not be reproducible on another machine or day. */
const rounded = (value: number): string => String(Number(value.toPrecision(2)));

/**
 * The tables of the page, as Markdown.
 *
 * @throws if the report lacks one of their rows
 */
function tablesOf({ rows, n8n, processor, taken, updates }: Report): string {
	const value = (topic: string, name: string): string => {
		const found = rows.find((row) => row.topic === topic && row.name === name);
		if (found === undefined) throw new Error(`The report has no row '${topic}: ${name}'`);
		return rounded(found.value);
	};
	const engine = (topic: string, name: string) =>
		['default', 'lazy'].map((kind) => value(`${topic}, ${kind} expression engine`, name));
	return [
		`Measured on ${measuredOn({ taken, updates })} with n8n ${n8n} on one machine (${processor}), which also ran the sender of the events and the local service. All executions are saved to SQLite.`,
		'',
		'| Per second | Default settings | `N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true` |',
		'| --- | --- | --- |',
		...THROUGHPUT.map(([label, ...row]) => `| ${label} | ${engine(...row).join(' | ')} |`),
		'',
		'| Operation | Result |',
		'| --- | --- |',
		...OTHERS.map(([label, topic, name, unit]) => `| ${label} | ${value(topic, name)} ${unit} |`),
	].join('\n');
}

/**
 * The page with the figures of a report between its markers. The tables are not aligned.
 *
 * @throws if the page lacks the markers
 */
export function withFigures(page: string, report: Report): string {
	const [before, rest] = page.split(BEGIN);
	const after = rest?.split(END)[1];
	if (before === undefined || after === undefined) {
		throw new Error('docs/scaling.md lacks the markers around the figures');
	}
	return [before.trimEnd(), BEGIN, tablesOf(report), END, after.trimStart()].join('\n\n');
}
