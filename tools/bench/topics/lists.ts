import { installN8n, type N8nInstallation } from '../../host';
import { startService, type RunningService } from '../../service';
import { startCoreWorker, type CoreWorker } from '../core/startWorker';
import { pairedRounds, type Samples } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';

const TOPIC = 'Get Many: all webhooks of a team';
/** The size for which a ratio is wanted. */
const JUDGED = 10_000;
const RATIO = 1.1;
/** Ten times the webhooks may take ten times as much; a tenth more is within the spread of the rounds. */
const LINEAR = 11;

/** Before memory is measured, so that all code is loaded. */
const A_FEW = 10;

const NAMES = ['our node', 'HTTP Request'] as const;
type Name = (typeof NAMES)[number];
/** A list of this length, as the service would write it. */
function listOf(count: number): string {
	const createdAt = new Date().toISOString();
	const hooks = Array.from({ length: count }, (_, index) => ({
		_id: `hoo_${String(index).padStart(17, '0')}`,
		targetUrl: `https://receiver.example/hooks/${index}`,
		type: 'emailsSent',
		createdAt,
	}));
	return JSON.stringify(hooks);
}

/** Answers with a body made beforehand, so that the service's own work is in neither figure. */
function answerWith(service: RunningService, body: string): void {
	service.clearFaults();
	const contentType = 'application/json; charset=utf-8';
	service.addFault({ kind: 'status', status: 200, body, contentType, share: 1 });
}

interface Setting {
	service: RunningService;
	installation: N8nInstallation;
	scale: Scale;
}

async function list(worker: CoreWorker, node: Name, size: number, setting: Setting) {
	const { service, installation } = setting;
	const { baseUrl, apiKey } = service;
	const result = await worker.run({ node, n8nFolder: installation.folder, baseUrl, apiKey });
	if (result.items === size && result.error === undefined) return result;
	throw new Error(`${node} gave ${result.items} of ${size} items. ${result.error ?? ''}`);
}

/** Milliseconds of an execution, in processes that have done it before. */
async function times(size: number, setting: Setting): Promise<Samples<Name, number>> {
	const workers = NAMES.map((name) => [name, startCoreWorker(setting.installation)] as const);
	const variants = workers.map(
		([name, worker]) => [name, async () => (await list(worker, name, size, setting)).ms] as const,
	);
	try {
		answerWith(setting.service, listOf(size));
		await pairedRounds(variants, 2);
		return await pairedRounds(variants, setting.scale.rounds);
	} finally {
		await Promise.all(workers.map(([, worker]) => worker.end()));
	}
}

/** Megabytes that an execution takes at its peak, in a process that has only listed a few webhooks before. */
async function memory(node: Name, size: number, setting: Setting): Promise<number> {
	const worker = startCoreWorker(setting.installation);
	try {
		answerWith(setting.service, listOf(A_FEW));
		await list(worker, node, A_FEW, setting);
		answerWith(setting.service, listOf(size));
		return (await list(worker, node, size, setting)).peakMb;
	} finally {
		await worker.end();
	}
}

async function memories(size: number, setting: Setting): Promise<Samples<Name, number>> {
	return pairedRounds(
		NAMES.map((name) => [name, () => memory(name, size, setting)] as const),
		setting.scale.memoryRounds,
	);
}

/** Listing with our node and with n8n's HTTP Request node: time and memory of the execution, in n8n-core. */
export async function listRows(scale: Scale): Promise<BenchRow[]> {
	const installation = await installN8n();
	const service = await startService({ switches: { rateLimit: 'off' } });
	const setting = { service, installation, scale };
	try {
		return [
			...(await figureRows('time', 'ms', scale.listSizes, (size) => times(size, setting))),
			...(await figureRows('peak memory', 'MB', scale.memorySizes, (size) =>
				memories(size, setting),
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
		const wanted = size === JUDGED ? { atMost: RATIO } : undefined;
		rows.push(
			...NAMES.map((node) => row({ topic: TOPIC, name: `${name}: ${node}`, unit }, of(node))),
			row({ topic: TOPIC, name: `${name}: ratio`, unit: '×', wanted }, ratios),
		);
	}
	const growth = pairedRatios(ours.get(JUDGED * 10) ?? [], ours.get(JUDGED) ?? []);
	const name = `${figure}, our node: ${JUDGED * 10} ÷ ${JUDGED}`;
	return [...rows, row({ topic: TOPIC, name, unit: '×', wanted: { atMost: LINEAR } }, growth)];
}
