import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { z } from 'zod';
import type { N8nNode, OutreachHost } from '../host';
import { actionNode, chain, node, webhookNode } from '../host/workflows';
import { figure, ratio, sideBySide, type Figure, type Scale, type Topic } from './figures';
import { activateAt, httpRequestNode, newTeam } from './workflows';

/** A list of this length, as the service would send it. */
function listOf(count: number): string {
	const createdAt = new Date().toISOString();
	const webhooks = Array.from({ length: count }, (_, index) => ({
		_id: `hoo_${String(index).padStart(17, '0')}`,
		targetUrl: `https://receiver.example/hooks/${index}`,
		type: 'emailsSent',
		createdAt,
	}));
	return JSON.stringify(webhooks);
}

/** An active workflow that lists, and responds with the number of webhooks. @returns its URL */
async function activateListing(host: OutreachHost, listing: N8nNode): Promise<string> {
	const path = randomUUID();
	const webhook = webhookNode(path, { responseMode: 'lastNode', responseData: 'firstEntryJson' });
	const count = node('Count', 'n8n-nodes-base.summarize', 1.1, {
		fieldsToSummarize: { values: [{ aggregation: 'count', field: '_id' }] },
		options: {},
	});
	const draft = chain('Get Many', [webhook, listing, count]);
	// Saving the list would take longer than listing.
	const settings = { saveDataSuccessExecution: 'none' };
	return (await activateAt(host, path, { ...draft, settings })).url;
}

const countSchema = z.object({ count__id: z.number() });

/** @returns milliseconds from the call of the workflow to its response */
async function measure(url: string, size: number): Promise<number> {
	const began = performance.now();
	const { body } = await request(url, { method: 'POST' });
	const { count__id: count } = countSchema.parse(await body.json());
	if (count !== size) throw new Error(`${count} of ${size} webhooks were listed`);
	return performance.now() - began;
}

/** An execution that lists all webhooks of a team, with our node and with n8n's HTTP Request node. */
export async function lists(host: OutreachHost, { rounds, listSizes }: Scale): Promise<Topic[]> {
	const { service } = host;
	const { credential, basicAuth } = await newTeam(host);
	const parameters = { resource: 'webhook', operation: 'getAll', returnAll: true };
	const ours = actionNode(credential, parameters);
	const theirs = httpRequestNode(`${service.baseUrl}/hooks`, basicAuth);
	const urls = [
		['our node', await activateListing(host, ours)],
		['HTTP Request', await activateListing(host, theirs)],
	] as const;
	const figures: Figure[] = [];
	for (const size of listSizes) {
		// A prepared response, so that neither figure includes the work of the service.
		const contentType = 'application/json; charset=utf-8';
		const body = listOf(size);
		const fault = service.addFault({ kind: 'status', status: 200, body, contentType, share: 1 });
		const variants = urls.map(([name, url]) => [name, () => measure(url, size)] as const);
		// n8n loads a node's code on first use.
		await sideBySide(variants, 2);
		const samples = await sideBySide(variants, rounds);
		service.clearFaults(fault);
		for (const [name] of urls) figures.push(figure(`${size}: ${name}`, 'ms', samples(name)));
		figures.push(
			ratio(`${size}: our node ÷ HTTP Request`, samples('our node'), samples('HTTP Request')),
		);
	}
	return [{ title: 'Get Many: all webhooks of a team', figures }];
}
