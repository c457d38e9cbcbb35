import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const addresses = z.object({ baseUrl: z.string(), controlUrl: z.string(), apiKey: z.string() });

/** A local service in its own process, so that it does not share a thread with the code that measures it. */
export interface ServiceProcess extends z.infer<typeof addresses> {
	stop: () => Promise<void>;
}

/** Starts `tools/service/main.ts` with these arguments on free ports. */
export async function startServiceProcess(...args: string[]): Promise<ServiceProcess> {
	const main = join(__dirname, '../../service/main.ts');
	const ports = ['--port', '0', '--control-port', '0', '--json'];
	const child = spawn(process.execPath, ['--import', 'tsx', main, ...ports, ...args], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const firstLine: unknown[] = await once(createInterface(child.stdout), 'line');
	return {
		...addresses.parse(JSON.parse(String(firstLine[0]))),
		stop: async () => {
			const exited = once(child, 'exit');
			child.kill('SIGTERM');
			await exited;
		},
	};
}
