import { X509Certificate } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { freePort, PACKAGE_NAME } from '../../tools/host';

/** A certificate for npm's registry that nobody trusts unless told to. The key protects nothing. */
const CERTIFICATE = {
	key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8Mr79QoI62TxyKt8
IpMYdIl4bPRkSjSyzl4K+ahiyeuhRANCAASYFmtQiNvPRo1mtv55Ie29vqjwmEl1
ek/DteQnq+3RpVpa3WATj7rWaaHUaOrIZeWonVtNzgiKOR+G7/xsEpv6
-----END PRIVATE KEY-----
`,
	cert: `-----BEGIN CERTIFICATE-----
MIIBrzCCAVagAwIBAgIUJvjovtkYFkn8ToyW3YQfCRzvYIEwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwScmVnaXN0cnkubnBtanMub3JnMCAXDTI2MTEyMjA4MDUzOVoY
DzIxMjYxMDI5MDgwNTM5WjAdMRswGQYDVQQDDBJyZWdpc3RyeS5ucG1qcy5vcmcw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASYFmtQiNvPRo1mtv55Ie29vqjwmEl1
ek/DteQnq+3RpVpa3WATj7rWaaHUaOrIZeWonVtNzgiKOR+G7/xsEpv6o3IwcDAd
BgNVHQ4EFgQUuoZfe81t0bAyQNVfnUQsADJuHg4wHwYDVR0jBBgwFoAUuoZfe81t
0bAyQNVfnUQsADJuHg4wHQYDVR0RBBYwFIIScmVnaXN0cnkubnBtanMub3JnMA8G
A1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgfkrpRyPu1QHZQgi0C8WV
TDFurfxBi7xsjI38S8U1ncwCIB9eNeW44DBLhtZG07TCESxo9gRnKPFu+RfgWc10
MG0n
-----END CERTIFICATE-----
`,
};

/** npm's registry, for which the certificate is; requests to other hosts are n8n's own. */
const HOST = new X509Certificate(CERTIFICATE.cert).subject.replace('CN=', '');

/** The npm registry with our package alone, as n8n and npm reach it. */
export interface NpmRegistry {
	/** Settings with which n8n reaches it: through a proxy, whose certificates it trusts. */
	env: Record<string, string>;
	/** Settings with which a person's npm publishes: signed in, with a second factor. */
	owner: Record<string, string>;
	/** Settings with which npm publishes in a GitHub workflow: without a token of npm. */
	workflow: Record<string, string>;
	/** Trusts the workflow from now on, as `npm trust` does, which needs the package to exist. */
	trustWorkflow(): void;
	close(): Promise<void>;
}

/** What a person's npm, a GitHub workflow and npm on its behalf identify themselves with. */
const OWNER_TOKEN = 'npm_owner';
const WORKFLOW_IDENTITY = 'identity.of.workflow';
const WORKFLOW_TOKEN = 'npm_workflow';

/** npm's upload: one version, and its tarball in base64. */
const uploadSchema = z.object({
	name: z.literal(PACKAGE_NAME),
	versions: z.record(
		z.object({ version: z.string(), dist: z.object({}).passthrough() }).passthrough(),
	),
	_attachments: z.record(z.object({ data: z.string() })),
});

type Reply = { status: number; body?: object | Buffer };

const NOT_FOUND: Reply = { status: 404, body: {} };

/** The part of the registry's API that npm and n8n use. */
class Packages {
	isWorkflowTrusted = false;
	/** What npm knows of each version, oldest first. */
	private readonly manifests = new Map<string, object>();
	private readonly tarballs = new Map<string, Buffer>();

	get isEmpty(): boolean {
		return this.manifests.size === 0;
	}

	async reply(request: IncomingMessage): Promise<Reply> {
		const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
		if (request.method === 'GET') return this.found(request.url ?? '');
		if (request.method === 'POST') {
			// npm asks for a token in a workflow.
			const isTrusted = this.isWorkflowTrusted && token === WORKFLOW_IDENTITY;
			return isTrusted ? { status: 201, body: { token: WORKFLOW_TOKEN } } : NOT_FOUND;
		}
		if (token !== OWNER_TOKEN && token !== WORKFLOW_TOKEN) return NOT_FOUND;
		return this.publish(await json(request));
	}

	private publish(upload: unknown): Reply {
		const { versions, _attachments } = uploadSchema.parse(upload);
		const [manifest] = Object.values(versions);
		const [attachment] = Object.values(_attachments);
		if (!manifest || !attachment) throw new Error('npm uploaded no version');
		const path = `/${PACKAGE_NAME}/-/${PACKAGE_NAME}-${manifest.version}.tgz`;
		// npm writes http:// into it.
		const dist = { ...manifest.dist, tarball: `https://${HOST}${path}` };
		this.manifests.set(manifest.version, { ...manifest, dist });
		this.tarballs.set(path, Buffer.from(attachment.data, 'base64'));
		return { status: 201, body: {} };
	}

	/** The package, one of its versions, or a tarball. */
	private found(path: string): Reply {
		const tarball = this.tarballs.get(path);
		if (tarball) return { status: 200, body: tarball };
		const latest = [...this.manifests.keys()].at(-1);
		const [, name, version] = path.split('/');
		if (latest === undefined || name !== PACKAGE_NAME) return NOT_FOUND;
		if (version === undefined) {
			const versions = Object.fromEntries(this.manifests);
			return { status: 200, body: { name, 'dist-tags': { latest }, versions } };
		}
		const manifest = this.manifests.get(version === 'latest' ? latest : version);
		return manifest ? { status: 200, body: manifest } : NOT_FOUND;
	}
}

/**
 * Starts the registry. n8n accepts no other registry than npm's without a license, so a proxy with a certificate of its
 * own stands in for it. Needs no rights on the machine.
 * @param folder an empty one for its files
 */
export async function startNpmRegistry(folder: string): Promise<NpmRegistry> {
	await mkdir(folder, { recursive: true });
	const packages = new Packages();
	const respond = async (request: IncomingMessage, response: ServerResponse) => {
		const { status, body } = await packages.reply(request);
		response.writeHead(status).end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
	};
	const registry = createSecureServer(
		CERTIFICATE,
		(request, response) => void respond(request, response),
	);
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

	const file = async (name: string, text: string): Promise<string> => {
		await writeFile(join(folder, name), text);
		return join(folder, name);
	};
	const proxyUrl = `http://127.0.0.1:${port}`;
	const env = {
		HTTPS_PROXY: proxyUrl,
		NO_PROXY: '127.0.0.1,localhost',
		NODE_EXTRA_CA_CERTS: await file('certificate.pem', CERTIFICATE.cert),
		// The machine's own settings of npm may name a registry, a proxy or a certificate authority.
		npm_config_userconfig: await file('npmrc', ''),
		npm_config_globalconfig: join(folder, 'no-npmrc'),
		npm_config_registry: `https://${HOST}/`,
		npm_config_https_proxy: proxyUrl,
		npm_config_cache: join(folder, 'cache'),
		npm_config_fetch_retries: '0',
	};
	const ownerNpmrc = await file('owner-npmrc', `//${HOST}/:_authToken=${OWNER_TOKEN}`);
	return {
		env,
		owner: { ...env, npm_config_userconfig: ownerNpmrc },
		workflow: { ...env, GITHUB_ACTIONS: 'true', NPM_ID_TOKEN: WORKFLOW_IDENTITY },
		trustWorkflow: () => {
			if (packages.isEmpty)
				throw new Error('npm can trust a workflow only for a package that exists');
			packages.isWorkflowTrusted = true;
		},
		close: async () => {
			registry.closeAllConnections();
			await new Promise((resolve) => proxy.close(resolve));
		},
	};
}
