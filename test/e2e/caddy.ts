import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, repository, startServer, type ReverseProxy } from '../../tools/host';

/** Debian's Caddy, or the one that `CADDY_PATH` names. */
const CADDY = process.env.CADDY_PATH ?? '/usr/bin/caddy';

export const hasCaddy = existsSync(CADDY);

/** Starts Caddy with `docs/Caddyfile` in front of the n8n at this URL. */
export async function startCaddy(n8nUrl: string): Promise<ReverseProxy> {
	const folder = await mkdtemp(join(tmpdir(), 'outreach-caddy-'));
	const url = `http://127.0.0.1:${await freePort()}`;
	const config = join(folder, 'Caddyfile');
	// Another Caddy on this machine may use the port of the admin API.
	await writeFile(config, `{\n\tadmin off\n}\nimport ${join(repository, 'docs/Caddyfile')}\n`);
	const caddy = await startServer(
		'Caddy',
		[CADDY, 'run', '--config', config, '--adapter', 'caddyfile'],
		{
			env: { HOME: folder, PUBLIC_URL: url, N8N_ADDRESS: new URL(n8nUrl).host },
			cwd: folder,
			logFile: join(folder, 'caddy.log'),
		},
		async () => (await fetch(`${url}/healthz/readiness`)).status === 200,
	);
	return {
		url: `${url}/`,
		stop: async () => {
			await caddy.kill();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
