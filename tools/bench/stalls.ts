import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import type { N8nNode, OutreachHost } from '../host';
import { actionNode, chain, webhookNode } from '../host/workflows';
import { compare, type Variant } from './compare';
import { activateAt, httpRequestNode, newTeam } from './workflows';

/** About as many as the node reads (D94). */
const WEBHOOKS = 75_000;
/**
 * The longest that n8n may respond to nobody, in seconds. On a slow machine, n8n's own HTTP Request node holds it up for
 * longer, too: there, our node may take 1.5 times as long.
 */
const LONGEST = 1;
const LONGEST_RELATIVE = 1.5;
/** Also in the short form: a pause of the machine can only make one longer, so the shortest counts. */
const ROUNDS = 4;
const OURS = 'Get Many';
const REFERENCE = 'HTTP Request';

/** Has n8n do something. @returns how long it responds to nobody meanwhile, in seconds */
async function longestStall({ server }: OutreachHost, task: () => Promise<void>): Promise<number> {
	let isDone = false;
	let longest = 0;
	const watch = async (): Promise<void> => {
		while (!isDone) {
			const asked = performance.now();
			await (await request(`${server.url}/healthz`)).body.dump();
			longest = Math.max(longest, performance.now() - asked);
			await pause(10);
		}
	};
	const watching = watch();
	await task();
	// What n8n still saves counts, too.
	await pause(2_000);
	isDone = true;
	await watching;
	return longest / 1000;
}

/** How long n8n is blocked while it reads the largest list, by our node and by n8n's HTTP Request node. */
export async function stalls(host: OutreachHost): Promise<string[]> {
	const { service } = host;
	const { credential, basicAuth } = await newTeam(host);
	const variant = async (name: string, action: N8nNode): Promise<Variant> => {
		const path = randomUUID();
		const start = webhookNode(path, { responseMode: 'lastNode', responseData: 'noData' });
		const { url } = await activateAt(host, path, chain(name, [start, action]));
		const call = async () => (await request(url, { method: 'POST' })).body.dump();
		return { name, measure: async () => ({ seconds: await longestStall(host, call) }) };
	};
	const getMany = { resource: 'webhook', operation: 'getAll', returnAll: true };
	const variants = [
		await variant(REFERENCE, httpRequestNode(basicAuth, { url: `${service.baseUrl}/hooks` })),
		await variant(OURS, actionNode(credential, getMany)),
	];
	const list = Array.from({ length: WEBHOOKS }, (_, index) => ({
		_id: `hoo_${index}`,
		targetUrl: `https://crm.example/${index}`,
		type: 'emailsSent',
	}));
	service.addFault({
		kind: 'status',
		status: 200,
		body: JSON.stringify(list),
		contentType: 'application/json; charset=utf-8',
		times: Number.MAX_SAFE_INTEGER,
	});
	const title = `The longest stall while n8n reads ${WEBHOOKS.toLocaleString('en')} webhooks`;
	const { values } = await compare(title, variants, ROUNDS);
	service.clearFaults();
	const [ours, reference] = [OURS, REFERENCE].map((name) => Math.min(...values(name, 'seconds')));
	const most = Math.max(LONGEST, LONGEST_RELATIVE * (reference ?? 0));
	return (ours ?? Infinity) <= most ? [] : [`${title} must be at most ${most.toFixed(2)} s`];
}
