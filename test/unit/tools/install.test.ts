/** What the installation of n8n and a demo that is kept do with their folders. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openKept } from '../../../tools/demo/kept';
import { adviceFor, installedCount, packagePaths } from '../../../tools/host/install';

const newFolder = () => mkdtempSync(join(tmpdir(), 'outreach-install-'));

describe('The installation of n8n', () => {
	const lockfile = JSON.stringify({
		packages: {
			'': {},
			'node_modules/a': {},
			'node_modules/b': {},
			'node_modules/b/node_modules/c': {},
			'node_modules/other-platform': { optional: true },
		},
	});

	it('counts the packages of the lockfile that are unpacked', () => {
		const folder = newFolder();
		const paths = packagePaths(lockfile);
		expect(paths).toEqual(['node_modules/a', 'node_modules/b', 'node_modules/b/node_modules/c']);
		for (const path of paths) mkdirSync(join(folder, path), { recursive: true });
		expect(installedCount(folder, paths)).toBe(0);
		writeFileSync(join(folder, 'node_modules/a/package.json'), '{}');
		expect(installedCount(folder, paths)).toBe(1);
		for (const path of paths) writeFileSync(join(folder, path, 'package.json'), '{}');
		expect(installedCount(folder, paths)).toBe(3);
	});

	it.each([
		['npm error code ENOTFOUND', /^The npm registry could not be reached\. Check the network/],
		['connect ECONNREFUSED 127.0.0.1:8080', /^The npm registry could not be reached/],
		['npm error ENOSPC: no space left on device, write', /^The disk is full/],
		['npm error code 1', /^The installation failed\. Run the command again/],
	])('begins with a sentence that says what to do after: %s', (log, advice) => {
		expect(adviceFor(log)).toMatch(advice);
	});
});

describe('The folder of a demo that is kept', () => {
	it('has one encryption key, and what was set up in it', async () => {
		const path = join(newFolder(), 'demo');
		const first = await openKept(path);
		expect(first.earlier).toBeUndefined();
		const setup = {
			workflowId: 'abc',
			mcp: { url: 'http://127.0.0.1:5678/mcp/x', token: 't' },
			service: { port: 4010, controlPort: 4011 },
		};
		await first.remember(setup);
		const second = await openKept(path);
		expect(second.earlier).toEqual(setup);
		expect(second.env).toEqual(first.env);
	});

	it('is refused if it holds something else, or a demo that was not set up', async () => {
		const path = join(newFolder(), 'demo');
		await openKept(path);
		await expect(openKept(path)).rejects.toThrow('holds no complete demo. Remove it');
	});
});
