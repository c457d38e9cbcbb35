import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { installN8n, packPackage, startN8n, type N8nName, type N8nServer } from '../host';
import { startService, type RunningService, type ServiceOptions } from '../service';

/** The pinned n8n that the tests run on: `N8N_UNDER_TEST=n8n-1` takes the older line. */
const N8N_UNDER_TEST = z
	.enum(['n8n-1', 'n8n-2'])
	.default('n8n-2')
	.parse(process.env.N8N_UNDER_TEST);

/** Milliseconds that setting up may take, with n8n not installed yet. */
const SETUP_TIMEOUT_MS = 15 * 60_000;

/** Milliseconds that a test may take; most need a few seconds. */
export const TEST_TIMEOUT_MS = 120_000;

/** A real n8n with the packed package in it, and a local service. */
export interface OutreachHost {
	server: N8nServer;
	service: RunningService;
	/** Ends both and removes their files. */
	dispose(): Promise<void>;
}

export interface OutreachHostOptions {
	n8n?: N8nName;
	service?: ServiceOptions;
	/** n8n settings on top of the usual. */
	env?: Record<string, string>;
}

/**
 * One host for all tests of a file: begun before the first, ended after the last.
 *
 * @returns what gives it to a test
 */
export function useOutreachHost(options?: OutreachHostOptions): () => OutreachHost {
	let host: OutreachHost | undefined;
	beforeAll(async () => {
		host = await startOutreachHost(options);
	}, SETUP_TIMEOUT_MS);
	afterAll(() => host?.dispose());
	return () => {
		if (host === undefined) throw new Error('The host is there once the tests have begun');
		return host;
	};
}

/**
 * Packs what `npm run build` made and starts an n8n with it, and a service.
 * May take SETUP_TIMEOUT_MS, because the first one ever installs n8n.
 */
export async function startOutreachHost({
	n8n = N8N_UNDER_TEST,
	service: serviceOptions = {},
	env = {},
}: OutreachHostOptions = {}): Promise<OutreachHost> {
	const installation = await installN8n(n8n);
	const folder = await mkdtemp(join(tmpdir(), 'outreach-e2e-'));
	const tarball = await packPackage(folder);
	const service = await startService(serviceOptions);
	const dispose = async () => {
		await service.close();
		await rm(folder, { recursive: true, force: true });
	};
	try {
		const userFolder = join(folder, 'n8n');
		const server = await startN8n({ installation, tarball: tarball.path, userFolder, env });
		return {
			server,
			service,
			dispose: async () => {
				await server.kill();
				await dispose();
			},
		};
	} catch (error) {
		// The error carries the end of n8n's log, so that the file may go.
		await dispose();
		throw error;
	}
}
