/** `npm run bench`: compares the package with what n8n offers without it, side by side in one run. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { startOutreachHost, type OutreachHost } from '../host';
import { print } from '../terminal';
import { runProgram } from '../terminal';
import { batches } from './batches';
import { deletions } from './deletions';
import { deliveries } from './deliveries';
import { missedCounts, tableOf, type Topic } from './figures';
import { lists } from './lists';
import { packageCost } from './packageCost';
import { separateProcessors } from './processors';
import { FULL, SHORT, type Scale } from './scale';

/** The parts, by their names for `--only`. They run one after the other, so as not to affect each other. */
const PARTS: Record<string, (host: OutreachHost, scale: Scale) => Promise<Topic[]>> = {
	package: packageCost,
	lists,
	deletions,
	deliveries,
	batches,
};
/** Those that depend on n8n's expression engine. */
const WITH_BOTH_ENGINES = ['deliveries', 'batches'];

function readParts(text: string): string[] {
	const names = text.split(',');
	const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
	if (unknown === undefined) return names;
	throw new InvalidArgumentError(`There is no part '${unknown}'.`);
}

const { short, only, write } = new Command('npm run bench --')
	.description(
		'Measures the package and compares it with what n8n offers without it. Fails if an event is lost, repeated or forged, or a request is refused.',
	)
	.option('--short', 'one short round of each part, with one expression engine: whether it works')
	.option('--only <parts>', `run only these: ${Object.keys(PARTS).join(', ')}`, readParts)
	.option('--write <file>', 'write the tables to this Markdown file')
	.parse()
	.opts<{ short?: true; only?: string[]; write?: string }>();

const parts = only ?? Object.keys(PARTS);

/** Runs the parts in a new n8n, even if one of them fails. @returns the tables, and the parts without */
async function measure(host: OutreachHost, scale: Scale, names: readonly string[]) {
	const topics: Topic[] = [];
	const failed: string[] = [];
	for (const name of names) {
		const began = Date.now();
		try {
			const found = (await PARTS[name]?.(host, scale)) ?? [];
			topics.push(...found);
			for (const topic of found) print(`\n${tableOf(topic)}`);
			print(`\n(${name}, ${scale.engine}: ${Math.round((Date.now() - began) / 1000)} s)`);
		} catch (error) {
			failed.push(name);
			print(error instanceof Error ? (error.stack ?? error.message) : String(error));
		}
	}
	return { topics, failed };
}

void runProgram('bench', async ({ atEnd }) => {
	const topics: Topic[] = [];
	const failed: string[] = [];
	let caption = '';
	for (const engine of short ? (['lazy'] as const) : (['lazy', 'default'] as const)) {
		const names =
			engine === 'lazy' ? parts : parts.filter((one) => WITH_BOTH_ENGINES.includes(one));
		if (names.length === 0) continue;
		const host = await startOutreachHost({
			env: engine === 'lazy' ? { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } : {},
			packages: [resolve(__dirname, 'n8n-nodes-bench-bare-trigger')],
		});
		atEnd('stop n8n', () => host.dispose());
		const processor = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'processor'}`;
		const day = new Date().toISOString().slice(0, 10);
		caption = `n8n ${host.installation.version}, Node ${process.version}, ${processor}, ${day}`;
		print(`${caption}, ${engine} expression engine`);
		const restore = await separateProcessors(host.server.pid());
		if (!restore) print('n8n and the sender share all processors.');
		const measured = await measure(host, { ...(short ? SHORT : FULL), engine }, names);
		topics.push(...measured.topics);
		failed.push(...measured.failed);
		await restore?.();
		await host.server.stop();
	}
	const missed = missedCounts(topics);
	for (const name of missed) print(`✗ ${name}`);
	for (const name of failed) print(`✗ The part '${name}' has no results`);
	if (write !== undefined && failed.length === 0) {
		const text = ['# Results of the benchmark', `${caption}.`, ...topics.map(tableOf)].join('\n\n');
		await writeFile(write, `${text}\n`);
	}
	return missed.length === 0 && failed.length === 0;
});
