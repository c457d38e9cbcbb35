import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';

const addresses = z.object({ baseUrl: z.string(), controlUrl: z.string(), apiKey: z.string() });

/** A local service in its own process, so that it does not share a thread with the code that measures it. */
export interface ServiceProcess extends z.infer<typeof addresses> {
	stop: () => Promise<void>;
}

const firstLineOf = (stream: Readable): Promise<unknown[]> => once(createInterface(stream), 'line');

/** Starts `tools/service/main.ts` with these arguments on free ports. */
export async function startServiceProcess(...args: string[]): Promise<ServiceProcess> {
	const main = join(__dirname, '../../service/main.ts');
	const ports = ['--port', '0', '--control-port', '0', '--json'];
	const child = spawn(process.execPath, ['--import', 'tsx', main, ...ports, ...args], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const exited = once(child, 'exit');
	const [firstLine] = await Promise.race([
		firstLineOf(child.stdout),
		exited.then((): unknown[] => []),
	]);
	if (typeof firstLine !== 'string') throw new Error('The local service did not start');
	return {
		...addresses.parse(JSON.parse(firstLine)),
		stop: async () => {
			child.kill('SIGTERM');
			await exited;
		},
	};
}
