import { join } from 'node:path';
import type { N8nInstallation } from '../../host';
import { Worker } from '../measure/worker';
import { doneSchema, type CoreJob, type CoreResult } from './job';

export type CoreWorker = Worker<CoreJob, CoreResult>;

/** Starts a process that runs nodes in n8n-core, on the Node.js version that n8n uses. */
export function startCoreWorker({ node }: N8nInstallation): CoreWorker {
	return new Worker<CoreJob, CoreResult>(join(__dirname, 'worker.ts'), doneSchema, {
		execPath: node,
	});
}
