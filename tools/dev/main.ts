/** `npm run dev`: a real n8n whose package follows the sources; with `--once` it tries that out and ends by itself. */
import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { watch } from 'gulp';
import {
	logFromNow,
	PACKAGE_NAME,
	packageFolder,
	repository,
	waitFor,
	type N8nServer,
} from '../host';
import { print, runProgram, step, type Program } from '../terminal';
import { createTestedCredential, explainHost, startHostForPeople } from '../terminal/start';

const { once } = new Command('npm run dev --')
	.description('Runs the package in a real n8n, which reloads it whenever a source file changes.')
	.option('--once', 'change a copy of the sources: exit code 0 if n8n serves the changes', false)
	.parse()
	.opts<{ once: boolean }>();

/** Makes n8n reload a node package when one of its files changes: a setting for developers of n8n. */
const HOT_RELOAD = { N8N_DEV_RELOAD: 'true' };
const RELOADED = `Hot reload triggered for ${PACKAGE_NAME}`;

/** Milliseconds between two changes of a file: n8n handles those within a tenth of a second as one. */
const ATTEMPT_MS = 1_000;
/** Milliseconds from saving a file until n8n must serve the change; usually two to three seconds. */
const SERVED_WITHIN_MS = 30_000;

/**
 * Compiles and copies whatever changes in a folder with the sources; with a type error, nothing is written. Resolves once
 * the first compilation is done.
 */
async function follow(sources: string, target: string, { atEnd }: Program): Promise<void> {
	const tsc = require.resolve('typescript/bin/tsc');
	const outDir = join(target, 'dist');
	const options = ['--project', 'tsconfig.build.json', '--watch', '--preserveWatchOutput'];
	const compiler = spawn(process.execPath, [tsc, ...options, '--outDir', outDir], {
		cwd: sources,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	// In one step: n8n may read a file as soon as it begins to change.
	const replace = async (path: string) => {
		const file = join(outDir, path);
		await cp(join(sources, path), `${file}.new`);
		await rename(`${file}.new`, file);
	};
	const copy = (path: string) => void replace(path);
	const assets = watch(['nodes/**/*.{json,svg,png}', 'credentials/**/*.svg'], { cwd: sources });
	assets.on('add', copy).on('change', copy);
	atEnd('stop following the sources', async () => {
		compiler.kill();
		assets.close();
	});
	await new Promise<void>((resolve) => {
		compiler.stdout.on('data', (text: Buffer) => {
			process.stdout.write(text);
			if (text.includes('Watching for file changes')) resolve();
		});
	});
}

const SOURCES = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'nodes', 'credentials'];

/** Copies the sources, so that a change for trying does not touch the developer's own. */
async function copySources(folder: string): Promise<string> {
	const copy = join(folder, 'sources');
	await mkdir(copy);
	for (const name of SOURCES) {
		await cp(join(repository, name), join(copy, name), { recursive: true });
	}
	await symlink(join(repository, 'node_modules'), join(copy, 'node_modules'));
	return copy;
}

/**
 * Changes a node's code and its codex file, and waits until the running n8n describes the node accordingly.
 *
 * @throws when n8n does not serve a change
 */
async function tryChanges(server: N8nServer, sources: string): Promise<void> {
	const change = async (file: string, from: string, to: string) => {
		const path = join(sources, 'nodes/OutreachService', file);
		await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
	};
	const name = 'Outreach Service (changed)';
	const alias = 'added while n8n runs';
	await change(
		'OutreachService.node.ts',
		"displayName: 'Outreach Service'",
		`displayName: '${name}'`,
	);
	await change('OutreachService.node.json', '"alias": [', `"alias": ["${alias}", `);
	await waitFor(
		`n8n to serve the name '${name}', and the search word '${alias}'`,
		() => server.client.nodeTypes(),
		(types) =>
			types.some(({ displayName, codex }) => displayName === name && codex?.alias?.includes(alias)),
		{ timeoutMs: SERVED_WITHIN_MS },
	);
}

void runProgram('dev', async (program) => {
	const host = await startHostForPeople(program, { env: HOT_RELOAD });
	const { name: credential } = await createTestedCredential(host);
	const { server } = host;
	const sources = once ? await copySources(program.folder) : repository;
	const target = packageFolder(server.userFolder);
	await step('Compiling the sources', () => follow(sources, target, program));
	await step('Waiting until n8n watches the package', async () => {
		// That is some time after n8n is ready, because it watches every folder of its own nodes first.
		const log = await logFromNow({ server });
		await waitFor(
			'n8n to notice a change of the package',
			async () => {
				await utimes(join(target, 'package.json'), new Date(), new Date());
				return log();
			},
			(text) => text.includes(RELOADED),
			{ everyMs: ATTEMPT_MS },
		);
	});
	if (once) {
		await step('Changing the name of a node, and a search word', () => tryChanges(server, sources));
		print('\n✓ n8n serves both changes, without a restart.');
		return;
	}
	explainHost(host);
	print(`
  The credential "${credential}" is ready to use. Save a file below nodes/ or credentials/, and n8n
  reloads the package; an open editor shows the change. If it does not, see 'Hot reload' in the log.
`);
	await program.untilStopped();
});
