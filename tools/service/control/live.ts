import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { LoggedRequest } from '../api/requestLog';
import type { LedgerEntry } from '../delivery/ledger';
import type { LocalService } from '../localService';
import type { Topic } from '../support/changes';
import { requestSummary, type RequestSummary } from './requestView';

/** Most entries of a list that are sent; the counts beside them include all. */
const MAX_LISTED = 200;
const TICK_MS = 150;
/** A client with this many bytes unread is disconnected; it reconnects and gets the whole state again. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/** `GET /live`: Server-Sent Events with the whole state first, then the changes of each tick. */
export function addLiveRoute(app: FastifyInstance, service: LocalService): void {
	const feed = new LiveFeed(service);
	app.get('/live', (_request, reply) => {
		reply.hijack();
		feed.connect(reply.raw);
	});
	app.addHook('preClose', async () => {
		feed.close();
	});
}

class LiveFeed {
	private readonly clients = new Set<ServerResponse>();
	private readonly changed = new Set<Topic>();
	private newEntries: LedgerEntry[] = [];
	/** The requests that are new or have ended since the last tick, by their ID. */
	private readonly newRequests = new Map<number, LoggedRequest>();
	private lastStats = '';
	private stop: (() => void) | undefined;

	constructor(private readonly service: LocalService) {}

	connect(client: ServerResponse): void {
		client.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
		client.on('close', () => {
			this.clients.delete(client);
			if (this.clients.size === 0) this.stop?.();
		});
		// What it gets now must not come again with the next tick.
		this.tick();
		this.clients.add(client);
		send(client, {
			...this.read(['hooks', 'switches', 'faults', 'requests']),
			stats: this.service.stats(),
			attempts: this.service.parts.ledger.attempts,
			ledger: this.service.parts.ledger.entries(MAX_LISTED),
		});
		this.stop ??= this.start();
	}

	close(): void {
		for (const client of this.clients) client.destroy();
	}

	/** Runs only while a client is connected. */
	private start(): () => void {
		const { changes, ledger, log } = this.service.parts;
		const stops = [
			changes.listen((topic) => this.changed.add(topic)),
			ledger.onEntry((entry) => {
				this.newEntries.push(entry);
				if (this.newEntries.length > 2 * MAX_LISTED)
					this.newEntries = this.newEntries.slice(-MAX_LISTED);
			}),
			log.onChange((request) => this.newRequests.set(request.id, request)),
		];
		const timer = setInterval(() => {
			this.tick();
		}, TICK_MS).unref();
		return () => {
			clearInterval(timer);
			for (const stop of stops) stop();
			this.stop = undefined;
		};
	}

	private tick(): void {
		const stats = JSON.stringify(this.service.stats());
		const update = {
			...this.read([...this.changed]),
			...(stats !== this.lastStats && { stats: this.service.stats() }),
			...(this.newEntries.length > 0 && {
				attempts: this.service.parts.ledger.attempts,
				newEntries: this.newEntries.slice(-MAX_LISTED),
			}),
			...(this.newRequests.size > 0 && {
				requestCount: this.service.parts.log.count,
				newRequests: this.summaries(newest([...this.newRequests.values()])),
			}),
		};
		this.lastStats = stats;
		this.changed.clear();
		this.newEntries = [];
		this.newRequests.clear();
		if (Object.keys(update).length === 0) return;
		for (const client of this.clients) {
			if (client.writableLength > MAX_UNREAD_BYTES) client.destroy();
			else send(client, update);
		}
	}

	private read(topics: Topic[]): object {
		const { service } = this;
		const all = topics.includes('hooks') ? service.hooks() : [];
		return {
			...(topics.includes('hooks') && { hookCount: all.length, hooks: all.slice(-MAX_LISTED) }),
			...(topics.includes('switches') && { switches: service.switches }),
			...(topics.includes('faults') && { faults: service.faults }),
			...(topics.includes('requests') && {
				requestCount: service.parts.log.count,
				requests: this.summaries(service.parts.log.entries(MAX_LISTED)),
			}),
		};
	}

	private summaries(requests: readonly LoggedRequest[]): RequestSummary[] {
		return requests.map(requestSummary(this.service.parts.keys.texts()));
	}
}

/** The newest requests of some that began or ended, oldest first. */
const newest = (requests: readonly LoggedRequest[]): LoggedRequest[] =>
	[...requests].sort((a, b) => a.id - b.id).slice(-MAX_LISTED);

const send = (client: ServerResponse, update: object): void => {
	client.write(`data: ${JSON.stringify(update)}\n\n`);
};
