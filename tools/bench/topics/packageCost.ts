import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import {
	installN8n,
	packPackage,
	unpackTarball,
	type N8nInstallation,
	type PackageTarball,
} from '../../host';
import { pairedRounds } from '../measure/rounds';
import { pairedRatios } from '../measure/statistics';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';

const run = promisify(execFile);
const script = join(__dirname, '../package/loadOnce.mjs');

/** n8n's own nodes with a trigger and a similar code size. */
const OTHERS = ['Lemlist', 'Mailchimp', 'Taiga'] as const;
/** The one of them that costs most. */
const LARGEST = 'Lemlist';
type Name = 'our package' | (typeof OTHERS)[number];

const loadedSchema = z.object({ ms: z.number(), kb: z.number() });
type Loaded = z.infer<typeof loadedSchema>;

async function load({ node, folder }: N8nInstallation, files: string[]): Promise<Loaded> {
	const args = ['--expose-gc', script, folder, ...files];
	// As in n8n, whose own modules are on the path of every node package.
	const env = { ...process.env, NODE_PATH: join(folder, 'node_modules') };
	const { stdout } = await run(node, args, { env, cwd: folder });
	return loadedSchema.parse(JSON.parse(stdout));
}

function filesOf(name: Name, { folder }: N8nInstallation, ours: string): string[] {
	if (name === 'our package') {
		return [
			join(ours, 'dist/credentials/OutreachServiceApi.credentials.js'),
			join(ours, 'dist/nodes/OutreachService/OutreachService.node.js'),
			join(ours, 'dist/nodes/OutreachService/OutreachServiceTrigger.node.js'),
		];
	}
	const base = join(folder, 'node_modules/n8n-nodes-base/dist');
	return [
		join(base, `credentials/${name}Api.credentials.js`),
		join(base, `nodes/${name}/${name}.node.js`),
		join(base, `nodes/${name}/${name}Trigger.node.js`),
	];
}

/** The cost of loading our package compared with n8n's own nodes, and the size of the published package. */
export async function packageRows({ rounds }: Scale): Promise<BenchRow[]> {
	const installation = await installN8n();
	const folder = await mkdtemp(join(tmpdir(), 'outreach-bench-package-'));
	try {
		const tarball = await packPackage(folder);
		const ours = join(folder, 'unpacked');
		await unpackTarball(tarball.path, ours);
		const names: Name[] = ['our package', ...OTHERS];
		const samples = await pairedRounds(
			names.map((name) => [name, () => load(installation, filesOf(name, installation, ours))]),
			rounds,
		);
		const topic = 'Loading the package, beside built-in nodes with a trigger';
		return [
			...names.map((name) =>
				row(
					{ topic, name: `time: ${name}`, unit: 'ms' },
					samples(name).map(({ ms }) => ms),
				),
			),
			...names.map((name) =>
				row(
					{ topic, name: `memory: ${name}`, unit: 'KB' },
					samples(name).map(({ kb }) => kb),
				),
			),
			...(['ms', 'kb'] as const).map((field) =>
				row(
					{
						topic,
						name: `${field === 'ms' ? 'time' : 'memory'}: our package ÷ ${LARGEST}`,
						unit: '×',
						target: { atMost: 1.5 },
					},
					pairedRatios(
						samples('our package').map((sample) => sample[field]),
						samples(LARGEST).map((sample) => sample[field]),
					),
				),
			),
			...shipped(tarball),
		];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

function shipped({ size, unpackedSize, files }: PackageTarball): BenchRow[] {
	const topic = 'The package as published';
	return [
		row({ topic, name: 'tarball', unit: 'KB' }, [size / 1024]),
		row({ topic, name: 'unpacked', unit: 'KB' }, [unpackedSize / 1024]),
		row({ topic, name: 'files', unit: 'files' }, [files.length]),
	];
}
