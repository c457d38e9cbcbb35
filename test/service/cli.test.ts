/** The command of the local service: its options, what it prints, and how it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { serviceWithControl } from './testing/fixture';
import { readCommandLine } from '../../tools/service/main';

const read = (...args: string[]) => readCommandLine(args);

describe('the command line', () => {
	it('listens on this machine only by default', () => {
		expect(read()).toMatchObject({ host: '127.0.0.1', port: 4010, controlPort: 4011 });
		expect(read('--host', '0.0.0.0').host).toBe('0.0.0.0');
	});

	it('accepts ports, several keys and switches', () => {
		const line =
			'--port 1 --control-port 2 --api-key a --api-key b --switch rateLimit=off --switch maxHooks=5';
		expect(read(...line.split(' '))).toMatchObject({
			port: 1,
			controlPort: 2,
			apiKeys: ['a', 'b'],
			switches: { rateLimit: 'off', maxHooks: 5 },
		});
	});
});

describe('the command', () => {
	it('prints its URLs, and stops cleanly on Ctrl-C while a request is open', async () => {
		const args = '--port 0 --control-port 0 --api-key k --switch maxHooks=5'.split(' ');
		const main = join(__dirname, '../../tools/service/main.ts');
		const child = spawn(process.execPath, ['--import', 'tsx', main, ...args], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const greeted: unknown[] = await once(child.stdout, 'data');
		const [, controlUrl = ''] = /Control page {2}(\S+)/.exec(String(greeted[0])) ?? [];
		expect(String(greeted[0])).toMatch(/API key {7}k\n/);
		const page = await fetch(controlUrl);
		child.kill('SIGINT');
		const exit: unknown[] = await once(child, 'exit');
		expect(exit).toEqual([0, null]);
		await page.text().catch(() => undefined);
	}, 90_000);
});

it('A port in use is a sentence with what to do', async () => {
	const { baseUrl } = await serviceWithControl();
	const { port } = new URL(baseUrl);
	const main = join(__dirname, '../../tools/service/main.ts');
	const child = spawn(
		process.execPath,
		['--import', 'tsx', main, '--port', port, '--control-port', '0'],
		{ stdio: ['ignore', 'ignore', 'pipe'] },
	);
	let printed = '';
	child.stderr.on('data', (text: Buffer) => {
		printed += text.toString();
	});
	const exit: unknown[] = await once(child, 'close');
	expect(exit).toEqual([1, null]);
	expect(printed.trim()).toBe(
		`error: Port ${port} is in use. Another program listens there, perhaps a service that is still running. Stop it, or choose other ports with --port and --control-port.`,
	);
}, 90_000);

describe('several services in one process', () => {
	// Every address from 127.0.0.1 to 127.255.255.254 is this machine, but only the first is listened on.
	it('listen on 127.0.0.1 and on no other address', async () => {
		const { baseUrl, controlUrl } = await serviceWithControl();
		for (const url of [baseUrl, controlUrl]) {
			expect(new URL(url).hostname).toBe('127.0.0.1');
			const other = url.replace('127.0.0.1', '127.0.0.2');
			await expect(fetch(other, { signal: AbortSignal.timeout(2_000) })).rejects.toThrow(
				/fetch failed|timeout/,
			);
			expect((await fetch(url)).status).toBeGreaterThan(0);
		}
	});
});
