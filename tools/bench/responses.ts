import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import type { N8nNode, OutreachHost } from '../host';
import {
	actionNode,
	chain,
	openWebhookList,
	triggerWorkflow,
	webhookNode,
} from '../host/workflows';
import { EVENT_TYPES, type HookView } from '../service';
import { count, figure, type Figure, type Topic } from './figures';
import { activateAt, httpRequestNode, newTeam } from './workflows';

/**
 * The longest that n8n may respond to nobody, in seconds, and how much its memory may grow, in MB (D94). On a slow machine,
 * n8n's own HTTP Request node holds it up for longer, too. There, our nodes may hold it up 1.5 times as long as that node.
 */
const LONGEST_STALL = 1;
const LONGEST_RELATIVE_STALL = 1.5;
const REFERENCE = 'HTTP Request: 75,000 webhooks';
/** How often a response that holds n8n up for too long is tried: a pause of the machine can only make an attempt longer. */
const MAX_ATTEMPTS = 3;
const MOST_MEMORY = 500;
const BYTES = 16 * 1024 * 1024;
/** A little less than what the node reads. */
const MOST_VALUES = 390_000;

const repeatedIn = (one: string): string =>
	`[${one.repeat(Math.floor((BYTES - 100) / one.length))}${one.slice(0, -1)}]`;

/** A webhook in a list, as far as the nodes need it. */
type Listed = Pick<HookView, '_id' | 'targetUrl'> & Partial<Pick<HookView, 'type'>>;

const listed = (webhook: Listed): string => `${JSON.stringify(webhook)},`;

function webhooks(length: number, urlOf: (index: number) => string): string {
	const all = Array.from({ length }, (_, index) =>
		listed({ _id: `hoo_${index}`, targetUrl: urlOf(index), type: 'emailsSent' }),
	);
	return `[${all.join('').slice(0, -1)}]`;
}

/** An object with many fields, each of which is nested. */
function deepAndWide(): string {
	const deep = '{"a":'.repeat(90) + '1' + '}'.repeat(90);
	const length = Math.floor(MOST_VALUES / 92);
	return `{${Array.from({ length }, (_, index) => `"f${index}":${deep}`).join(',')}}`;
}

/** Has n8n do something, and finds out how long it responds to nobody meanwhile, and how much memory it takes. */
async function whileWatching(
	{ server }: OutreachHost,
	task: () => Promise<unknown>,
): Promise<{ seconds: number; stall: number; memory: number }> {
	const folder = `/proc/${server.pid()}`;
	const memoryOf = async (name: string): Promise<number> => {
		const status = await readFile(`${folder}/status`, 'utf8');
		return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
	};
	// The peak begins anew.
	await writeFile(`${folder}/clear_refs`, '5');
	const before = await memoryOf('VmRSS');
	const began = performance.now();
	let isDone = false;
	let stall = 0;
	const watch = async (): Promise<void> => {
		while (!isDone) {
			const asked = performance.now();
			await (await request(`${server.url}/healthz`)).body.dump();
			stall = Math.max(stall, performance.now() - asked);
			await pause(10);
		}
	};
	const watching = watch();
	await task();
	const seconds = (performance.now() - began) / 1000;
	// What n8n still saves counts, too.
	await pause(2_000);
	isDone = true;
	await watching;
	return { seconds, stall: stall / 1000, memory: (await memoryOf('VmHWM')) - before };
}

/** What a service can send at most, or worse, and what our node makes of it, beside n8n's HTTP Request node. */
export async function responses(host: OutreachHost): Promise<Topic[]> {
	const { server, service } = host;
	const { credential, basicAuth } = await newTeam(host);
	const call = async (name: string, action: N8nNode): Promise<() => Promise<void>> => {
		const path = randomUUID();
		const start = webhookNode(path, { responseMode: 'lastNode', responseData: 'noData' });
		const { url } = await activateAt(host, path, chain(name, [start, action]));
		return async () => {
			// An error is a response, too.
			await (await request(url, { method: 'POST' })).body.dump();
		};
	};
	const ours = (parameters: Record<string, unknown>) => actionNode(credential, parameters);
	const all = { resource: 'webhook', operation: 'getAll', returnAll: true };
	const http = httpRequestNode(`${service.baseUrl}/hooks`, basicAuth);
	const picker = async () => await openWebhookList(server.client, credential);
	const own = (index: number) => `${server.url}/webhook/${index}/webhook?event=emailsSent`;
	const other = (index: number) => `https://crm.example/${index}`;
	const getMany = await call('Get Many', ours(all));
	const httpRequest = await call('HTTP Request', http);
	const schema = async (output: string) =>
		await call(`Schema: ${output}`, ours({ resource: 'peopleSchema', operation: 'get', output }));
	const cases: Array<[name: string, body: string, task: () => Promise<unknown>, isOurs?: false]> = [
		[REFERENCE, webhooks(75_000, other), httpRequest, false],
		['schema, JSON Schema: deep and wide', deepAndWide(), await schema('jsonSchema')],
		['schema, raw: deep and wide', deepAndWide(), await schema('raw')],
		['Get Many: 75,000 webhooks', webhooks(75_000, other), getMany],
		['Get Many: 470,000 webhooks', repeatedIn(listed({ _id: 'a', targetUrl: 'b' })), getMany],
		['list in the editor: 75,000 webhooks of this n8n', webhooks(75_000, own), picker],
	];
	const figures: Figure[] = [];
	let longestStall = LONGEST_STALL;
	for (const [name, body, task, isOurs = true] of cases) {
		const contentType = 'application/json; charset=utf-8';
		// The longest ones are sent as they are made, so that this process does not hold them twice.
		const fault = service.addFault({ kind: 'status', status: 200, body, contentType, share: 1 });
		let watched = await whileWatching(host, task);
		for (let attempts = 1; attempts < MAX_ATTEMPTS; attempts++) {
			if (!isOurs || watched.stall <= longestStall) break;
			const again = await whileWatching(host, task);
			const memory = Math.max(watched.memory, again.memory);
			watched = { ...(again.stall < watched.stall ? again : watched), memory };
		}
		service.clearFaults(fault);
		const { seconds, stall, memory } = watched;
		if (name === REFERENCE) longestStall = Math.max(LONGEST_STALL, stall * LONGEST_RELATIVE_STALL);
		figures.push(
			figure(`${name}: time`, 's', [seconds]),
			figure(`${name}: longest stall`, 's', [stall], isOurs ? longestStall : undefined),
			count(`${name}: more memory`, 'MB', [memory], isOurs ? MOST_MEMORY : undefined),
		);
	}
	figures.push(...(await activations(host)));
	return [{ title: 'Responses that are too large, or nearly', figures }];
}

/** How long the activation may hold n8n up beyond one in a team without webhooks, in seconds. */
const LONGEST_EXTRA_STALL = 0.1;

/** An activation of a trigger with every event in a large team, whose service fails to create the webhooks. */
async function activations(host: OutreachHost): Promise<Figure[]> {
	const { server, service } = host;
	const { credential } = await newTeam(host);
	const activate = async (): Promise<void> => {
		const draft = triggerWorkflow(credential, { events: [...EVENT_TYPES] });
		const { id } = await server.client.createWorkflow(draft);
		await server.client.activateWorkflow(id).catch(() => undefined);
		await pause(5_000);
		await server.client.deactivateWorkflow(id).catch(() => undefined);
	};
	const ofTrigger = (index: number) =>
		`${server.url}/webhook/${index}/webhook?event=emailsSent&keyId=0123456789ab`;
	const failing = service.addFault({
		kind: 'status',
		status: 503,
		share: 1,
		match: { method: 'POST' },
	});
	const figures: Figure[] = [];
	let reference = 0;
	for (const size of [0, 3_000, 10_000]) {
		const body = webhooks(size, ofTrigger);
		const list = {
			kind: 'status',
			status: 200,
			contentType: 'application/json',
			share: 1,
		} as const;
		const fault = service.addFault({ ...list, body, match: { method: 'GET' } });
		let { stall } = await whileWatching(host, activate);
		for (let attempts = 1; attempts < MAX_ATTEMPTS; attempts++) {
			if (size === 0 || stall <= reference + LONGEST_EXTRA_STALL) break;
			stall = Math.min(stall, (await whileWatching(host, activate)).stall);
		}
		service.clearFaults(fault);
		if (size === 0) reference = stall;
		const name = `activation with ${EVENT_TYPES.length} events, ${size} webhooks: longest stall`;
		figures.push(
			figure(name, 's', [stall], size === 0 ? undefined : reference + LONGEST_EXTRA_STALL),
		);
	}
	service.clearFaults(failing);
	return figures;
}
