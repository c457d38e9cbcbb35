import { createHash, X509Certificate } from 'node:crypto';
import {
	createServer,
	type IncomingMessage,
	type RequestListener,
	type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { create } from 'tar';
import { z } from 'zod';
import { freePort, PACKAGE_NAME, unpackTarball } from '../../tools/host';
import { REGISTRY_CERTIFICATE } from './npmRegistryCertificate';

/** npm's registry, for which the certificate is; requests to other hosts are n8n's own. */
const HOST = new X509Certificate(REGISTRY_CERTIFICATE.cert).subject.replace('CN=', '');

/** The npm registry with our package alone, as n8n and npm reach it. */
export interface NpmRegistry {
	/** Settings with which n8n reaches it: through a proxy, whose certificates it trusts. */
	env: Record<string, string>;
	/** Publishes a tarball of `npm pack` with this version; it is the latest from then on. */
	publish(tarball: string, version: string): Promise<void>;
	/** Settings with which a person's npm publishes: signed in, with a second factor. */
	owner: Record<string, string>;
	/** Settings with which npm publishes in a GitHub workflow: without a token of npm. */
	workflow: Record<string, string>;
	/** Trusts the workflow from now on, as `npm trust` does, which needs the package to exist. */
	trustWorkflow(): void;
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
	if (file) {
		return { status: 200, body: file.tarball };
	}
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

/** What a person's npm, a GitHub workflow and npm on its behalf identify themselves with. */
const OWNER_TOKEN = 'npm_owner';
const WORKFLOW_IDENTITY = 'identity.of.workflow';
const WORKFLOW_TOKEN = 'npm_workflow';

const tokenOf = ({ headers }: IncomingMessage): string =>
	(headers.authorization ?? '').replace(/^Bearer /, '');

/** npm's upload: one version, and its tarball in base64. */
const uploadSchema = z.object({
	name: z.literal(PACKAGE_NAME),
	versions: z.record(manifestSchema),
	_attachments: z.record(z.object({ data: z.string() })),
});

/** A version that npm uploads. */
async function uploaded(request: IncomingMessage): Promise<Published> {
	const { versions, _attachments } = uploadSchema.parse(await json(request));
	const [manifest] = Object.values(versions);
	const [attachment] = Object.values(_attachments);
	if (!manifest || !attachment) throw new Error('npm uploaded no version');
	return { manifest, tarball: Buffer.from(attachment.data, 'base64') };
}

/** A proxy that responds for the registry itself, and refuses connections to any other host. */
async function startProxy(listener: RequestListener) {
	const registry = createSecureServer(REGISTRY_CERTIFICATE, listener);
	const proxy = createServer();
	proxy.on('connect', (request, socket) => {
		socket.on('error', () => undefined);
		if (request.url?.startsWith(HOST) !== true) {
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
 * Starts the registry. n8n accepts no other registry than npm's without a license, so a proxy with a certificate of its
 * own stands in for it. Needs no rights on the machine.
 * @param folder an empty one for its files
 */
export async function startNpmRegistry(folder: string): Promise<NpmRegistry> {
	await mkdir(folder, { recursive: true });
	const certificate = join(folder, 'certificate.pem');
	await writeFile(certificate, REGISTRY_CERTIFICATE.cert);
	const npmrc = join(folder, 'npmrc');
	await writeFile(npmrc, '');
	const ownerNpmrc = join(folder, 'owner-npmrc');
	await writeFile(ownerNpmrc, `//${HOST}/:_authToken=${OWNER_TOKEN}`);

	const versions = new Map<string, Published>();
	let isWorkflowTrusted = false;

	/** Responds to npm's requests to publish, and to those of an npm that asks for a token in a workflow. */
	async function replyToPublisher(request: IncomingMessage): Promise<Reply> {
		const token = tokenOf(request);
		if (request.method === 'POST') {
			const isTrusted = isWorkflowTrusted && token === WORKFLOW_IDENTITY;
			return isTrusted
				? { status: 201, body: { token: WORKFLOW_TOKEN } }
				: { status: 404, body: {} };
		}
		if (token !== OWNER_TOKEN && token !== WORKFLOW_TOKEN) return { status: 404, body: {} };
		const published = await uploaded(request);
		versions.set(published.manifest.version, published);
		return { status: 201, body: {} };
	}

	async function reply(request: IncomingMessage): Promise<Reply> {
		if (request.method !== 'GET') return await replyToPublisher(request);
		const { headers, url = '/' } = request;
		return replyTo({ host: headers.host ?? '', path: url }, versions);
	}

	const respond = async (request: IncomingMessage, response: ServerResponse) => {
		const { status, body } = await reply(request);
		response.writeHead(status).end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
	};
	const proxy = await startProxy((request, response) => void respond(request, response));
	const env = {
		HTTPS_PROXY: proxy.url,
		NO_PROXY: '127.0.0.1,localhost',
		NODE_EXTRA_CA_CERTS: certificate,
		// The machine's own settings of npm may name a registry, a proxy or a certificate authority.
		npm_config_userconfig: npmrc,
		npm_config_globalconfig: join(folder, 'no-npmrc'),
		npm_config_registry: `https://${HOST}/`,
		npm_config_https_proxy: proxy.url,
		npm_config_cache: join(folder, 'cache'),
		npm_config_fetch_retries: '0',
	};
	return {
		env,
		owner: { ...env, npm_config_userconfig: ownerNpmrc },
		workflow: { ...env, GITHUB_ACTIONS: 'true', NPM_ID_TOKEN: WORKFLOW_IDENTITY },
		trustWorkflow: () => {
			if (versions.size === 0)
				throw new Error('npm can trust a workflow only for a package that exists');
			isWorkflowTrusted = true;
		},
		publish: async (tarball, version) => {
			versions.set(version, await withVersion(tarball, version, folder));
		},
		close: async () => await proxy.close(),
	};
}
