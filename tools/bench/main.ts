/** `npm run bench`: compares the package with what n8n offers without it, side by side in one run. */
import { execFile } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { promisify } from 'node:util';
import { Command, Option } from 'commander';
import { startOutreachHost, type OutreachHost } from '../host';
import { print, runProgram } from '../terminal';
import type { Scale } from './compare';
import { deletions } from './deletions';
import { bursts, deliveries } from './deliveries';
import { stalls } from './stalls';

type Part = (host: OutreachHost, scale: Scale) => Promise<string[]>;

/** The parts, by their names for `--only`. They run one after the other, so as not to affect each other. */
const PARTS: Record<string, Part> = { deletions, stalls, deliveries, bursts };
/** Those that depend on n8n's expression engine. */
const WITH_BOTH_ENGINES = ['deliveries', 'bursts'];
const LAZY = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };

const FULL: Scale = { rounds: 8, deliveryMs: 4_000, deletions: 200 };
/** Whether it works, not how fast it is. */
const SHORT: Scale = { rounds: 1, deliveryMs: 1_000, deletions: 25 };

const { short, only } = new Command('npm run bench --')
	.description(
		'Measures the package and compares it with what n8n offers without it. Fails if an event is lost, repeated or forged, or a request is refused.',
	)
	.option('--short', 'one short round of each part, with one expression engine: whether it works')
	.addOption(
		new Option('--only <parts...>', 'run only these')
			.choices(Object.keys(PARTS))
			.default(Object.keys(PARTS)),
	)
	.parse()
	.opts<{ short?: true; only: string[] }>();

/**
 * Gives n8n the first processor, and this process, which sends, the others, with util-linux's `taskset`. Otherwise the
 * sender would take time from n8n, and a workflow that uses several threads would be measured with more processors than
 * another.
 */
async function separateProcessors(pid: number): Promise<void> {
	const last = availableParallelism() - 1;
	const bind = (one: number, processors: string) =>
		promisify(execFile)('taskset', ['--all-tasks', '--cpu-list', '--pid', processors, String(one)]);
	try {
		if (last > 0) await Promise.all([bind(process.pid, `1-${last}`), bind(pid, '0')]);
	} catch {
		print('There is no taskset, or no permission: n8n and the sender share all processors.');
	}
}

void runProgram('bench', async ({ atEnd }) => {
	const problems: string[] = [];
	for (const engine of short ? ['lazy'] : ['lazy', 'default']) {
		const parts = only.filter((name) => engine === 'lazy' || WITH_BOTH_ENGINES.includes(name));
		if (parts.length === 0) continue;
		const host = await startOutreachHost({ env: engine === 'lazy' ? LAZY : {} });
		atEnd('stop n8n', () => host.dispose());
		const processor = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'processor'}`;
		const day = new Date().toISOString().slice(0, 10);
		print(`n8n ${host.installation.version}, ${processor}, ${day}, ${engine} expression engine`);
		await separateProcessors(host.server.pid());
		for (const name of parts) {
			problems.push(...((await PARTS[name]?.(host, short ? SHORT : FULL)) ?? []));
		}
		await host.server.stop();
	}
	for (const problem of problems) print(`✗ ${problem}`);
	return problems.length === 0;
});
