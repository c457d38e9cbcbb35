import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateCACertificate, getLocal, type CompletedRequest } from 'mockttp';
import { create } from 'tar';
import { z } from 'zod';
import { PACKAGE_NAME, unpackTarball } from './packageTarball';

const REGISTRY = 'https://registry.npmjs.org';

/** How the registry fails: it closes every connection, or sends half of each tarball. */
export type RegistryFault = 'down' | 'cutTarball';

/** The npm registry with our package alone, as n8n and its npm reach it. */
export interface NpmRegistry {
	/** Settings with which n8n reaches it: through a proxy, whose certificates it trusts. */
	env: Record<string, string>;
	/** Publishes a tarball of `npm pack` with this version; it is the latest from then on. */
	publish(tarball: string, version: string): Promise<void>;
	/** How it fails from now on; undefined when it works. */
	setFault(fault: RegistryFault | undefined): void;
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

const withDist = ({ manifest, tarball }: Published) => ({
	...manifest,
	dist: {
		tarball: `${REGISTRY}${tarballPath(manifest.version)}`,
		integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
		shasum: createHash('sha1').update(tarball).digest('hex'),
	},
});

/**
 * Starts it. n8n accepts no other registry than npm's without a license, so a proxy with a certificate authority of its
 * own stands in for it. Needs no rights on the machine.
 * @param folder an empty one for its files
 */
export async function startNpmRegistry(folder: string): Promise<NpmRegistry> {
	await mkdir(folder, { recursive: true });
	const https = await generateCACertificate();
	const certificate = join(folder, 'ca.pem');
	await writeFile(certificate, https.cert);
	const npmrc = join(folder, 'npmrc');
	await writeFile(npmrc, '');

	const versions = new Map<string, Published>();
	let fault: RegistryFault | undefined;
	const respond = ({ path }: CompletedRequest) => {
		const latest = [...versions.keys()].at(-1);
		const [, , version] = path.split('/');
		const all = [...versions.values()];
		const found = all.find(({ manifest }) => path === tarballPath(manifest.version));
		if (found) {
			const { tarball } = found;
			const end = fault === 'cutTarball' ? tarball.length / 2 : tarball.length;
			return { statusCode: 200, rawBody: tarball.subarray(0, end) };
		}
		if (latest === undefined || !path.startsWith(`/${PACKAGE_NAME}`)) return { statusCode: 404 };
		if (version !== undefined) {
			const one = versions.get(version === 'latest' ? latest : version);
			return one ? { statusCode: 200, json: withDist(one) } : { statusCode: 404 };
		}
		const json = {
			name: PACKAGE_NAME,
			'dist-tags': { latest },
			versions: Object.fromEntries(all.map((one) => [one.manifest.version, withDist(one)])),
		};
		return { statusCode: 200, json };
	};

	const server = getLocal({ https });
	await server.start();
	await server
		.forGet(/^https:\/\/registry\.npmjs\.org\//)
		.thenCallback((request) => (fault === 'down' ? 'close' : respond(request)));
	// n8n asks its own servers whether a package is banned, and goes on without an answer.
	await server.forUnmatchedRequest().thenCloseConnection();
	const proxy = `http://127.0.0.1:${server.port}`;
	return {
		env: {
			HTTPS_PROXY: proxy,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: certificate,
			// The machine's own settings of npm may name a proxy or a certificate authority.
			npm_config_userconfig: npmrc,
			npm_config_globalconfig: npmrc,
			npm_config_https_proxy: proxy,
			npm_config_cache: join(folder, 'cache'),
			npm_config_fetch_retries: '0',
		},
		publish: async (tarball, version) => {
			versions.set(version, await withVersion(tarball, version, folder));
		},
		setFault: (next) => {
			fault = next;
		},
		close: async () => await server.stop(),
	};
}
