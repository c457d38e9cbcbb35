import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from 'tar';
import { z } from 'zod';
import { freePort, PACKAGE_NAME, unpackTarball } from '../../tools/host';
import { REGISTRY_CERTIFICATE } from './npmRegistryCertificate';

/** The beginning of the name of npm's registry; requests to other hosts are n8n's own. */
const HOST_PREFIX = 'registry.';

/** The npm registry with our package alone, as n8n and its npm reach it. */
export interface NpmRegistry {
	/** Settings with which n8n reaches it: through a proxy, whose certificates it trusts. */
	env: Record<string, string>;
	/** Publishes a tarball of `npm pack` with this version; it is the latest from then on. */
	publish(tarball: string, version: string): Promise<void>;
	close(): Promise<void>;
}

const manifestSchema = z.object({ name: z.string(), version: z.string() }).passthrough();
type Published = { manifest: z.infer<typeof manifestSchema>; tarball: Buffer };

/** The tarball with another version in its package.json. */
async function withVersion(tarball: string, version: string, folder: string): Promise<Published> {
	const unpacked = join(folder, version);
	await unpackTarball(tarball, unpacked);
	const path = join(unpacked, 'package.json');
	const manifest = {
		...manifestSchema.parse(JSON.parse(await readFile(path, 'utf8'))),
		version,
	};
	await writeFile(path, JSON.stringify(manifest, null, 2));
	const file = `${unpacked}.tgz`;
	const names = await readdir(unpacked);
	await create({ gzip: true, file, cwd: unpacked, prefix: 'package' }, names);
	return { manifest, tarball: await readFile(file) };
}

const tarballPath = (version: string): string =>
	`/${PACKAGE_NAME}/-/${PACKAGE_NAME}-${version}.tgz`;

const withDist = ({ manifest, tarball }: Published, host: string) => ({
	...manifest,
	dist: {
		tarball: `https://${host}${tarballPath(manifest.version)}`,
		integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
		shasum: createHash('sha1').update(tarball).digest('hex'),
	},
});

type Reply = { status: number; body?: object | Buffer };

/** The part of the registry's API that npm and n8n use: a package, one of its versions, and a tarball. */
function replyTo(
	{ host, path }: { host: string; path: string },
	versions: ReadonlyMap<string, Published>,
): Reply {
	const all = [...versions.values()];
	const file = all.find(({ manifest }) => path === tarballPath(manifest.version));
	if (file) return { status: 200, body: file.tarball };
	const latest = [...versions.keys()].at(-1);
	const [, name, version] = path.split('/');
	if (latest === undefined || name !== PACKAGE_NAME) return { status: 404, body: {} };
	if (version === undefined) {
		const body = {
			name,
			'dist-tags': { latest },
			versions: Object.fromEntries(all.map((one) => [one.manifest.version, withDist(one, host)])),
		};
		return { status: 200, body };
	}
	const one = versions.get(version === 'latest' ? latest : version);
	return one ? { status: 200, body: withDist(one, host) } : { status: 404, body: {} };
}

/** A proxy that responds for the registry itself, and refuses connections to any other host. */
async function startProxy(listener: RequestListener) {
	const registry = createSecureServer(REGISTRY_CERTIFICATE, listener);
	const proxy = createServer();
	proxy.on('connect', (request, socket) => {
		socket.on('error', () => undefined);
		if (request.url?.startsWith(HOST_PREFIX) !== true) {
			// n8n asks its own servers whether a package is banned, and goes on without a response.
			socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
			return;
		}
		socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
		registry.emit('connection', socket);
	});
	const port = await freePort();
	await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${port}`,
		close: async () => {
			registry.closeAllConnections();
			await new Promise((resolve) => proxy.close(resolve));
		},
	};
}

/**
 * Starts the registry. n8n accepts no other registry than npm's without a license, so a proxy with a certificate of its own stands in
 * for it. Needs no rights on the machine.
 * @param folder an empty one for its files
 */
export async function startNpmRegistry(folder: string): Promise<NpmRegistry> {
	await mkdir(folder, { recursive: true });
	const certificate = join(folder, 'certificate.pem');
	await writeFile(certificate, REGISTRY_CERTIFICATE.cert);
	const npmrc = join(folder, 'npmrc');
	await writeFile(npmrc, '');

	const versions = new Map<string, Published>();
	const proxy = await startProxy(({ url = '/', headers }, response) => {
		const { status, body } = replyTo({ host: headers.host ?? '', path: url }, versions);
		response.writeHead(status).end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
	});
	return {
		env: {
			HTTPS_PROXY: proxy.url,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: certificate,
			// The machine's own settings of npm may name a proxy or a certificate authority.
			npm_config_userconfig: npmrc,
			npm_config_globalconfig: join(folder, 'no-npmrc'),
			npm_config_https_proxy: proxy.url,
			npm_config_cache: join(folder, 'cache'),
			npm_config_fetch_retries: '0',
		},
		publish: async (tarball, version) => {
			versions.set(version, await withVersion(tarball, version, folder));
		},
		close: async () => await proxy.close(),
	};
}
