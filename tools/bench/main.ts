/** `npm run bench`: compares the package with what n8n offers without it, side by side in one run. */
import { availableParallelism, cpus } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { startOutreachHost, type OutreachHost } from '../host';
import { print, runProgram } from '../terminal';
import { deletions } from './deletions';
import { batches, deliveries } from './deliveries';
import { tableOf, tooHigh, type Scale, type Topic } from './figures';
import { separateProcessors } from './processors';
import { responses } from './responses';

/** The parts, by their names for `--only`. They run one after the other, so as not to affect each other. */
const PARTS: Record<string, (host: OutreachHost, scale: Scale) => Promise<Topic[]>> = {
	deletions,
	responses,
	deliveries,
	batches,
};
/** Those that depend on n8n's expression engine. */
const WITH_BOTH_ENGINES = ['deliveries', 'batches'];

const FULL: Omit<Scale, 'engine'> = {
	rounds: 8,
	deliveryMs: 4_000,
	deletions: 200,
};

/** A single short round of everything: whether it works, not how fast it is. */
const SHORT: Omit<Scale, 'engine'> = {
	rounds: 1,
	deliveryMs: 1_000,
	deletions: 25,
};

function readParts(text: string): string[] {
	const names = text.split(',');
	const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
	if (unknown === undefined) return names;
	throw new InvalidArgumentError(`There is no part '${unknown}'.`);
}

const { short, only } = new Command('npm run bench --')
	.description(
		'Measures the package and compares it with what n8n offers without it. Fails if an event is lost, repeated or forged, or a request is refused.',
	)
	.option('--short', 'one short round of each part, with one expression engine: whether it works')
	.option('--only <parts>', `run only these: ${Object.keys(PARTS).join(', ')}`, readParts)
	.parse()
	.opts<{ short?: true; only?: string[] }>();

/** Runs a part and prints its tables. @returns a line for each problem */
async function problemsIn(name: string, host: OutreachHost, scale: Scale): Promise<string[]> {
	const began = Date.now();
	try {
		const topics = (await PARTS[name]?.(host, scale)) ?? [];
		for (const topic of topics) print(`\n${tableOf(topic)}`);
		print(`\n(${name}, ${scale.engine}: ${Math.round((Date.now() - began) / 1000)} s)`);
		return tooHigh(topics);
	} catch (error) {
		print(error instanceof Error ? (error.stack ?? error.message) : String(error));
		return [`The part '${name}' has no results`];
	}
}

void runProgram('bench', async ({ atEnd }) => {
	const problems: string[] = [];
	for (const engine of short ? (['lazy'] as const) : (['lazy', 'default'] as const)) {
		const names = (only ?? Object.keys(PARTS)).filter(
			(name) => engine === 'lazy' || WITH_BOTH_ENGINES.includes(name),
		);
		if (names.length === 0) continue;
		const host = await startOutreachHost({
			env: engine === 'lazy' ? { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } : {},
		});
		atEnd('stop n8n', () => host.dispose());
		const processor = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'processor'}`;
		const day = new Date().toISOString().slice(0, 10);
		const versions = `n8n ${host.installation.version}, Node ${process.version}`;
		print(`${versions}, ${processor}, ${day}, ${engine} expression engine`);
		const isSeparate = await separateProcessors(host.server.pid());
		if (!isSeparate) print('n8n and the sender share all processors.');
		for (const name of names) {
			problems.push(...(await problemsIn(name, host, { ...(short ? SHORT : FULL), engine })));
		}
		await host.server.stop();
	}
	for (const problem of problems) print(`✗ ${problem}`);
	return problems.length === 0;
});
