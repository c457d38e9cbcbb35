/** `npm run bench`: measures everything in one run and prints one table. See docs/benchmarks/README.md. */
import { availableParallelism, cpus } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { installN8n } from '../host';
import { isCount, verdictOf, type BenchRow } from './report/row';
import { tableOf } from './report/table';
import { updateReport, writeReport } from './report/writeReport';
import { FULL, QUICK, SHORT, type Scale } from './scale';
import { batchRows } from './topics/batches';
import { conditionRows } from './topics/conditions';
import { duplicateRows } from './topics/duplicates';
import { defaultN8nRows, lazyN8nRows } from './topics/realN8n';
import { listRows } from './topics/lists';
import { localServiceRows } from './topics/localService';
import { packageRows } from './topics/packageCost';
import { responseTimeRows } from './topics/responseTimes';
import { threeProcessRows } from './topics/threeProcesses';
import { webhookCostRows } from './topics/webhookCost';

/** The parts, by their names for `--only`. They run one after the other, so as not to affect each other. */
const PARTS: Record<string, (scale: Scale) => Promise<BenchRow[]>> = {
	service: localServiceRows,
	package: packageRows,
	webhook: webhookCostRows,
	lists: listRows,
	processes: threeProcessRows,
	n8n: defaultN8nRows,
	lazy: lazyN8nRows,
	batch: batchRows('lazy'),
	'batch-default': batchRows('default'),
	responses: responseTimeRows('lazy'),
	'responses-default': responseTimeRows('default'),
	onlyWhen: conditionRows,
	duplicates: duplicateRows,
};

/** The parts of a short run: what is measured without n8n, and one n8n. */
const SHORT_PARTS = ['service', 'package', 'webhook', 'lists', 'lazy'];

function readParts(text: string): string[] {
	const names = text.split(',');
	const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
	if (unknown === undefined) return names;
	throw new InvalidArgumentError(`There is no part '${unknown}'.`);
}

const { quick, short, countsOnly, only, update } = new Command('npm run bench --')
	.description('Measures the package and compares it with what n8n offers without it.')
	.option('--quick', 'take about ten minutes, with fewer rounds and deletions', false)
	.option(
		'--short',
		`check in about a minute that it works: one round of ${SHORT_PARTS.join(', ')}, without writing files. Only counts, such as lost events, may miss their target.`,
		false,
	)
	.option(
		'--only <parts>',
		`run only these, without writing files: ${Object.keys(PARTS).join(', ')}`,
		readParts,
	)
	.option(
		'--counts-only',
		'fail only if a count, such as lost events, misses its target: for a machine that does other things, too',
		false,
	)
	.option(
		'--update',
		'with --only: replace the figures of these parts in the results of the last full run',
		false,
	)
	.parse()
	.opts<{
		quick: boolean;
		short: boolean;
		countsOnly: boolean;
		only?: string[];
		update: boolean;
	}>();

const scale = short ? SHORT : quick ? QUICK : FULL;
const parts = only ?? (short ? SHORT_PARTS : Object.keys(PARTS));

/** Runs the requested parts, even if one of them fails. */
async function measure(names: readonly string[]): Promise<{ rows: BenchRow[]; failed: string[] }> {
	const rows: BenchRow[] = [];
	const failed: string[] = [];
	for (const name of names) {
		const startedAt = Date.now();
		process.stderr.write(`${name} … `);
		try {
			rows.push(...((await PARTS[name]?.(scale)) ?? []));
			process.stderr.write(`${Math.round((Date.now() - startedAt) / 1000)} s\n`);
		} catch (error) {
			failed.push(name);
			console.error(error);
		}
	}
	return { rows, failed };
}

async function main(): Promise<number> {
	const { version: n8n } = await installN8n();
	const about = {
		taken: new Date().toISOString(),
		quick: scale.quick,
		node: process.version,
		processor: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
		n8n,
		updates: [],
	};
	console.log(
		`n8n ${n8n}, Node ${about.node}, ${about.processor}${short ? ', short run' : quick ? ', quick run' : ''}`,
	);
	const { rows, failed } = await measure(parts);
	console.log(tableOf(rows));
	const missed = rows
		.filter((row) => !(short || countsOnly) || isCount(row))
		.filter((row) => verdictOf(row) === 'MISS');
	for (const { topic, name } of missed) console.log(`MISS: ${topic}: ${name}`);
	for (const name of failed) console.log(`FAILED: the part '${name}' has no results`);
	if (failed.length > 0) {
		console.log('No files were written.');
		return 1;
	}
	if (only === undefined && !short) await writeReport(about, rows);
	else if (update && !short && !quick) await updateReport(about, rows);
	return missed.length === 0 ? 0 : 1;
}

main().then(
	(code) => (process.exitCode = code),
	(error: unknown) => {
		console.error(error);
		process.exitCode = 1;
	},
);
