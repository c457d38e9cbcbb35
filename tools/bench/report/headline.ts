import { formatNumber } from './row';
import { measuredOn, type Report } from './scalingFigures';

/** The part of a row that the picture needs. */
export interface Figure {
	topic: string;
	name: string;
	value: number;
}

/** One bar: what it stands for, its length, and the text at its end. */
export interface Bar {
	label: string;
	value: number;
	text: string;
	isOurs: boolean;
}

export interface Panel {
	title: string;
	bars: Bar[];
}

type Find = (topic: string | RegExp, name: string) => number | undefined;

const findIn =
	(rows: readonly Figure[]): Find =>
	(topic, name) =>
		rows.find(
			(row) =>
				row.name === name &&
				(typeof topic === 'string' ? row.topic === topic : topic.test(row.topic)),
		)?.value;

const ENGINES = [
	['lazy', 'expression engine only when needed'],
	['default', "n8n's default settings"],
] as const;

const CONTENDERS = [
	['Outreach Service Trigger', 'our trigger'],
	['Built-in trigger, unverified', 'built-in trigger'],
	['Webhook node, Header Auth', 'Webhook node, Header Auth'],
	['Webhook node, unverified', 'Webhook node'],
	['Webhook, If, Remove Duplicates', 'chain'],
] as const;

/** Completed executions per second, and the events per second of batches, in which an execution takes many. */
function eventPanel(find: Find, [engine, words]: (typeof ENGINES)[number]): Panel {
	const bar = (label: string, value: number | undefined, isOurs: boolean, more = ''): Bar[] =>
		value === undefined
			? []
			: [{ label, value, text: `${formatNumber(Number(value.toPrecision(2)))}${more}`, isOurs }];
	const batches = new RegExp(`^Batches of .* ${engine} expression engine$`);
	const perEvent = find(batches, 'batched: executions per event') ?? 1;
	return {
		title: `Events per second, ${words}`,
		bars: [
			...bar(
				'Outreach Service Trigger, batches',
				find(batches, 'batched'),
				true,
				`, ${Math.round(1 / perEvent)} to an execution`,
			),
			...CONTENDERS.flatMap(([label, name]) =>
				bar(
					label,
					find(`Completed executions, ${engine} expression engine`, name),
					name === 'our trigger',
				),
			),
		],
	};
}

const DELETIONS = /^3 × (\d+) deletions, three executions at once$/;

/** Deletions by three executions at once: how many of them worked, and how long that took. */
function deletionPanel(rows: readonly Figure[]): Panel {
	const find = findIn(rows);
	const topic = rows.find((row) => DELETIONS.test(row.topic))?.topic ?? '';
	const total = 3 * Number(DELETIONS.exec(topic)?.[1] ?? 0);
	const bars = (
		[
			['Outreach Service', 'our node'],
			['HTTP Request, batching', 'HTTP Request, batching'],
		] as const
	).flatMap(([label, name]): Bar[] => {
		const seconds = find(topic, `${name}: time`);
		const left = find(topic, `${name}: not deleted`);
		if (seconds === undefined || left === undefined) return [];
		const deleted = total - left;
		return [
			{
				label,
				value: deleted,
				text: `${deleted} in ${formatNumber(Math.round(seconds))} s`,
				isOurs: name === 'our node',
			},
		];
	});
	const ideal = rows
		.map(({ name }) => /our node: time ÷ ideal (\d+) s/.exec(name)?.[1])
		.findLast((seconds) => seconds !== undefined);
	return {
		title: `${total} webhooks deleted by three executions (the rate limit allows it in ${ideal ?? '?'} s)`,
		bars,
	};
}

/** What the picture of the benchmark shows: three comparisons. The table has all figures. */
export const headlineOf = (rows: readonly Figure[]): Panel[] =>
	[...ENGINES.map((engine) => eventPanel(findIn(rows), engine)), deletionPanel(rows)].filter(
		({ bars }) => bars.length > 0,
	);

/** What was run, where and when, for the picture. */
export const captionOf = ({
	quick = false,
	n8n,
	processor,
	taken,
	updates = [],
}: {
	n8n: string;
	processor: string;
	taken: string;
	updates?: Report['updates'];
	quick?: boolean;
}): string =>
	`${quick ? 'Quick run' : 'Full run'}, n8n ${n8n}, ${processor}, ${measuredOn({ taken, updates })}`;
