import { join } from 'node:path';
import { z } from 'zod';
import type { Inspector } from './inspector';

const DIST = '.n8n/nodes/node_modules/n8n-nodes-outreach-service/dist/nodes/OutreachService';

/**
 * Everything that the package's modules keep between two calls: a variable, how to count what is in it, and a function
 * of the module that uses it, through which it can be got at.
 */
const KEPT = {
	remembered: ['trigger/delivery/receive.js', 'receive', 'deduplicator', 'this.stats().remembered'],
	underWay: ['trigger/delivery/receive.js', 'receive', 'deduplicator', 'this.stats().claims'],
	derivedSecrets: ['trigger/delivery/verify.js', 'verify', 'derived', 'this.size'],
	liveNodes: ['runtime/activeNodes.js', 'activeNode', 'nodes', 'this.size'],
	locks: ['utils/oneAtATime.js', 'oneAtATime', 'last', 'this.size'],
	limiters: ['api/rateLimiter.js', 'limiterFor', 'limiters', 'this.size'],
	claims: ['api/claims.js', 'claim', 'claims', 'this.size'],
} as const;

/** How many entries there are of each. */
export type NodeState = Record<keyof typeof KEPT, number>;

export interface Memory {
	state: NodeState;
	/** Used after a garbage collection, in MB. */
	heapMb: number;
	/** Of the whole process, in MB. */
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
	const { result: used } = await inspector.call(
		'Runtime.evaluate',
		{ expression, includeCommandLineAPI: true, ...GROUP },
		remoteSchema,
	);
	const { internalProperties = [] } = await propertiesOf(inspector, used.objectId);
	const scopes = internalProperties.find(({ name }) => name === '[[Scopes]]')?.value?.objectId;
	for (const { value } of (await propertiesOf(inspector, scopes ?? '')).result) {
		if (value?.objectId === undefined) continue;
		const { result } = await propertiesOf(inspector, value.objectId);
		const found = result.find(({ name }) => name === variable)?.value?.objectId;
		if (found !== undefined) return found;
	}
	throw new Error(`${file} keeps nothing in '${variable}'`);
}

async function evaluate(inspector: Inspector, expression: string): Promise<number> {
	const { result } = await inspector.call(
		'Runtime.evaluate',
		{ expression, returnByValue: true },
		numberSchema,
	);
	return result.value;
}

/** Collects n8n's garbage, and looks what is left. */
export async function readMemory(inspector: Inspector, userFolder: string): Promise<Memory> {
	await inspector.call('HeapProfiler.collectGarbage', {}, z.unknown());
	const count = async ([file, user, variable, size]: (typeof KEPT)[keyof typeof KEPT]) => {
		const objectId = await variableOf(inspector, join(userFolder, DIST, file), user, variable);
		const { result } = await inspector.call(
			'Runtime.callFunctionOn',
			{ objectId, functionDeclaration: `function () { return ${size}; }`, returnByValue: true },
			numberSchema,
		);
		return result.value;
	};
	const state: NodeState = {
		remembered: await count(KEPT.remembered),
		underWay: await count(KEPT.underWay),
		derivedSecrets: await count(KEPT.derivedSecrets),
		liveNodes: await count(KEPT.liveNodes),
		locks: await count(KEPT.locks),
		limiters: await count(KEPT.limiters),
		claims: await count(KEPT.claims),
	};
	await inspector.call('Runtime.releaseObjectGroup', GROUP, z.unknown());
	return {
		state,
		heapMb: (await evaluate(inspector, 'process.memoryUsage().heapUsed')) / MB,
		rssMb: (await evaluate(inspector, 'process.memoryUsage().rss')) / MB,
	};
}
