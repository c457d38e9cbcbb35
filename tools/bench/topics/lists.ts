import { installN8n, type N8nInstallation } from '../../host';
import { startService, type RunningService } from '../../service';
import { startCoreWorker, type CoreWorker } from '../core/startWorker';
import { pairedRounds, type Samples } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';

const TOPIC = 'Get Many: all webhooks of a team';
/** The list size that has targets. */
const TARGET_SIZE = 10_000;
const TARGET_RATIO = 1.1;
/** Ten times as many webhooks may take ten times as much, plus a tolerance of 10 %. */
const MAX_GROWTH = 11;

/** The list size of the warm-up before memory is measured. */
const WARM_UP_SIZE = 10;

const NAMES = ['our node', 'HTTP Request'] as const;
type Name = (typeof NAMES)[number];

/** A list of this length, as the service would send it. */
function listOf(count: number): string {
	const createdAt = new Date().toISOString();
	const webhooks = Array.from({ length: count }, (_, index) => ({
		_id: `hoo_${String(index).padStart(17, '0')}`,
		targetUrl: `https://receiver.example/hooks/${index}`,
		type: 'emailsSent',
		createdAt,
	}));
	return JSON.stringify(webhooks);
}

/** Makes the service respond with a prepared body, so that neither figure includes its own work. */
function respondWith(service: RunningService, body: string): void {
	service.clearFaults();
	const contentType = 'application/json; charset=utf-8';
	service.addFault({ kind: 'status', status: 200, body, contentType, share: 1 });
}

interface Environment {
	service: RunningService;
	installation: N8nInstallation;
	scale: Scale;
}

async function list(worker: CoreWorker, node: Name, size: number, environment: Environment) {
	const { service, installation } = environment;
	const { baseUrl, apiKey } = service;
	const result = await worker.run({ node, n8nFolder: installation.folder, baseUrl, apiKey });
	if (result.items === size && result.error === undefined) return result;
	throw new Error(`${node} returned ${result.items} of ${size} items. ${result.error ?? ''}`);
}

/** The time of an execution in milliseconds, after a warm-up in the same process. */
async function times(size: number, environment: Environment): Promise<Samples<Name, number>> {
	const workers = NAMES.map((name) => [name, startCoreWorker(environment.installation)] as const);
	const variants = workers.map(
		([name, worker]) =>
			[name, async () => (await list(worker, name, size, environment)).ms] as const,
	);
	try {
		respondWith(environment.service, listOf(size));
		await pairedRounds(variants, 2);
		return await pairedRounds(variants, environment.scale.rounds);
	} finally {
		await Promise.all(workers.map(([, worker]) => worker.end()));
	}
}

/** The peak memory of an execution in MB, in a new process after a warm-up with a short list. */
async function memory(node: Name, size: number, environment: Environment): Promise<number> {
	const worker = startCoreWorker(environment.installation);
	try {
		respondWith(environment.service, listOf(WARM_UP_SIZE));
		await list(worker, node, WARM_UP_SIZE, environment);
		respondWith(environment.service, listOf(size));
		return (await list(worker, node, size, environment)).peakMb;
	} finally {
		await worker.end();
	}
}

async function memories(size: number, environment: Environment): Promise<Samples<Name, number>> {
	return pairedRounds(
		NAMES.map((name) => [name, () => memory(name, size, environment)] as const),
		environment.scale.memoryRounds,
	);
}

/** The time and memory for listing webhooks in n8n-core, with our node and with n8n's HTTP Request node. */
export async function listRows(scale: Scale): Promise<BenchRow[]> {
	const installation = await installN8n();
	const service = await startService({ switches: { rateLimit: 'off' } });
	const environment = { service, installation, scale };
	try {
		return [
			...(await figureRows('time', 'ms', scale.listSizes, (size) => times(size, environment))),
			...(await figureRows('peak memory', 'MB', scale.memorySizes, (size) =>
				memories(size, environment),
			)),
		];
	} finally {
		await service.close();
	}
}

async function figureRows(
	figure: string,
	unit: string,
	sizes: readonly number[],
	measure: (size: number) => Promise<Samples<Name, number>>,
): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	const ours = new Map<number, number[]>();
	for (const size of sizes) {
		const of = await measure(size);
		ours.set(size, of('our node'));
		const name = `${figure} for ${size}`;
		const ratios = pairedRatios(of('our node'), of('HTTP Request'));
		const target = size === TARGET_SIZE ? { atMost: TARGET_RATIO } : undefined;
		rows.push(
			...NAMES.map((node) => row({ topic: TOPIC, name: `${name}: ${node}`, unit }, of(node))),
			row({ topic: TOPIC, name: `${name}: ratio`, unit: '×', target }, ratios),
		);
	}
	const growth = pairedRatios(ours.get(TARGET_SIZE * 10) ?? [], ours.get(TARGET_SIZE) ?? []);
	const name = `${figure}, our node: ${TARGET_SIZE * 10} ÷ ${TARGET_SIZE}`;
	return [...rows, row({ topic: TOPIC, name, unit: '×', target: { atMost: MAX_GROWTH } }, growth)];
}
