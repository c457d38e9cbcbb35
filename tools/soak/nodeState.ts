import { join } from 'node:path';
import { z } from 'zod';
import type { Inspector } from './inspector';

const DIST = '.n8n/nodes/node_modules/n8n-nodes-outreach-service/dist/nodes/OutreachService';

/**
 * Everything that the package's modules keep between two calls. For each: the module, a function whose scope holds the
 * variable, the name of the variable, and an expression for the number of entries.
 */
const MODULE_STATE = {
	remembered: ['trigger/delivery/receive.js', 'receive', 'deduplicator', 'this.stats().remembered'],
	underWay: ['trigger/delivery/receive.js', 'receive', 'deduplicator', 'this.stats().claims'],
	derivedSecrets: ['trigger/delivery/verify.js', 'verify', 'derived', 'this.size'],
	liveNodes: ['runtime/activeNodes.js', 'activeNode', 'nodes', 'this.size'],
	locks: ['utils/oneAtATime.js', 'oneAtATime', 'last', 'this.size'],
	limiters: ['api/rateLimiter.js', 'limiterFor', 'limiters', 'this.size'],
	claims: ['api/claims.js', 'claim', 'claims', 'this.size'],
} as const;

/** The number of entries of each. */
export type NodeState = Record<keyof typeof MODULE_STATE, number>;

export interface Memory {
	state: NodeState;
	/** Heap used after a garbage collection, in MB. */
	heapMb: number;
	/** Resident memory of the process, in MB. */
	rssMb: number;
}

const remoteSchema = z.object({ result: z.object({ objectId: z.string() }) });
const propertiesSchema = z.object({
	result: z.array(
		z.object({ name: z.string(), value: z.object({ objectId: z.string().optional() }).optional() }),
	),
	internalProperties: z
		.array(
			z.object({
				name: z.string(),
				value: z.object({ objectId: z.string().optional() }).optional(),
			}),
		)
		.optional(),
});
const numberSchema = z.object({ result: z.object({ value: z.number() }) });

const GROUP = { objectGroup: 'soak' };
const MB = 1024 * 1024;

const propertiesOf = async (inspector: Inspector, objectId: string) =>
	inspector.call('Runtime.getProperties', { objectId, ownProperties: true }, propertiesSchema);

/** The object in a variable of a loaded module, found in the scopes of a function that uses it. */
async function variableOf(
	inspector: Inspector,
	file: string,
	functionName: string,
	variable: string,
): Promise<string> {
	const expression = `require(${JSON.stringify(file)}).${functionName}`;
	const { result: foundFunction } = await inspector.call(
		'Runtime.evaluate',
		{ expression, includeCommandLineAPI: true, ...GROUP },
		remoteSchema,
	);
	const { internalProperties = [] } = await propertiesOf(inspector, foundFunction.objectId);
	const scopes = internalProperties.find(({ name }) => name === '[[Scopes]]')?.value?.objectId;
	for (const { value } of (await propertiesOf(inspector, scopes ?? '')).result) {
		if (value?.objectId === undefined) continue;
		const { result } = await propertiesOf(inspector, value.objectId);
		const found = result.find(({ name }) => name === variable)?.value?.objectId;
		if (found !== undefined) return found;
	}
	throw new Error(`${file} has no variable '${variable}'`);
}

async function evaluate(inspector: Inspector, expression: string): Promise<number> {
	const { result } = await inspector.call(
		'Runtime.evaluate',
		{ expression, returnByValue: true },
		numberSchema,
	);
	return result.value;
}

/** Runs n8n's garbage collection, and reads what remains. */
export async function readMemory(inspector: Inspector, userFolder: string): Promise<Memory> {
	await inspector.call('HeapProfiler.collectGarbage', {}, z.unknown());
	const count = async ([
		file,
		functionName,
		variable,
		size,
	]: (typeof MODULE_STATE)[keyof typeof MODULE_STATE]) => {
		const objectId = await variableOf(
			inspector,
			join(userFolder, DIST, file),
			functionName,
			variable,
		);
		const { result } = await inspector.call(
			'Runtime.callFunctionOn',
			{ objectId, functionDeclaration: `function () { return ${size}; }`, returnByValue: true },
			numberSchema,
		);
		return result.value;
	};
	const state: NodeState = {
		remembered: await count(MODULE_STATE.remembered),
		underWay: await count(MODULE_STATE.underWay),
		derivedSecrets: await count(MODULE_STATE.derivedSecrets),
		liveNodes: await count(MODULE_STATE.liveNodes),
		locks: await count(MODULE_STATE.locks),
		limiters: await count(MODULE_STATE.limiters),
		claims: await count(MODULE_STATE.claims),
	};
	await inspector.call('Runtime.releaseObjectGroup', GROUP, z.unknown());
	return {
		state,
		heapMb: (await evaluate(inspector, 'process.memoryUsage().heapUsed')) / MB,
		rssMb: (await evaluate(inspector, 'process.memoryUsage().rss')) / MB,
	};
}
