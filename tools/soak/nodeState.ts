import { join } from 'node:path';
import { z } from 'zod';
import type { RuntimeStats } from '../../nodes/OutreachService/runtime/runtime';
import type { Inspector } from './inspector';

const RUNTIME =
	'.n8n/nodes/node_modules/n8n-nodes-outreach-service/dist/nodes/OutreachService/runtime/runtime.js';

/** Typed by the runtime, so that a new kind of entry is not forgotten here. */
const statsSchema: z.ZodType<RuntimeStats> = z.strictObject({
	activeNodes: z.number(),
	checks: z.number(),
	testRuns: z.number(),
	locks: z.number(),
	limiters: z.number(),
	recentCreates: z.number(),
	selections: z.number(),
	derivedDigests: z.number(),
	rememberedActivities: z.number(),
	claimedActivities: z.number(),
	waitingDuplicates: z.number(),
	recordingNodes: z.number(),
	heldDeliveries: z.number(),
	happened: z.number(),
});

/** What the package's runtime says of itself: the number of entries of each kind. */
export type NodeState = RuntimeStats;

export interface Memory {
	state: NodeState;
	/** Heap used after a garbage collection, in MB. */
	heapMb: number;
	/** Resident memory of the process, in MB. */
	rssMb: number;
}

const MB = 1024 * 1024;

async function evaluate<T>(
	inspector: Inspector,
	expression: string,
	schema: z.ZodType<T, z.ZodTypeDef, unknown>,
): Promise<T> {
	const { result } = await inspector.call(
		'Runtime.evaluate',
		// The command line API provides `require`, which returns the modules that n8n has loaded.
		{ expression, returnByValue: true, includeCommandLineAPI: true },
		z.object({ result: z.object({ value: z.unknown() }) }),
	);
	return schema.parse(result.value);
}

/** Collects n8n's garbage, and reads what is left. */
export async function readMemory(inspector: Inspector, userFolder: string): Promise<Memory> {
	await inspector.call('HeapProfiler.collectGarbage', {}, z.unknown());
	const runtime = JSON.stringify(join(userFolder, RUNTIME));
	return {
		state: await evaluate(inspector, `require(${runtime}).processRuntime.stats()`, statsSchema),
		heapMb: (await evaluate(inspector, 'process.memoryUsage().heapUsed', z.number())) / MB,
		rssMb: (await evaluate(inspector, 'process.memoryUsage().rss', z.number())) / MB,
	};
}
