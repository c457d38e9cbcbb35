import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { LedgerEntry } from '../delivery/ledger';
import type { LocalService } from '../localService';
import type { Topic } from '../support/changes';

/** What the page shows of long lists; the counts beside them are of all. */
const SHOWN = 200;
const TICK_MS = 150;
/** A reader this far behind is let go: it connects again and starts from a fresh state. */
const TOO_FAR_BEHIND = 4 * 1024 * 1024;

/** `GET /live`: the whole state first, then what changed, gathered every 150 ms, as Server-Sent Events. */
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
	private readonly readers = new Set<ServerResponse>();
	private readonly dirty = new Set<Topic>();
	private newEntries: LedgerEntry[] = [];
	private lastStats = '';
	private stop: (() => void) | undefined;

	constructor(private readonly service: LocalService) {}

	connect(reader: ServerResponse): void {
		reader.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
		reader.on('close', () => {
			this.readers.delete(reader);
			if (this.readers.size === 0) this.stop?.();
		});
		this.readers.add(reader);
		send(reader, {
			...this.read(['hooks', 'switches', 'faults']),
			stats: this.service.stats(),
			attempts: this.service.parts.ledger.attempts,
			ledger: this.service.parts.ledger.entries(SHOWN),
		});
		this.stop ??= this.start();
	}

	close(): void {
		for (const reader of this.readers) reader.destroy();
	}

	/** Costs nothing while nobody looks. */
	private start(): () => void {
		const { changes, ledger } = this.service.parts;
		const ends = [
			changes.listen((topic) => this.dirty.add(topic)),
			ledger.onEntry((entry) => {
				this.newEntries.push(entry);
				if (this.newEntries.length > 2 * SHOWN) this.newEntries = this.newEntries.slice(-SHOWN);
			}),
		];
		const timer = setInterval(() => {
			this.tick();
		}, TICK_MS).unref();
		return () => {
			clearInterval(timer);
			for (const end of ends) end();
			this.stop = undefined;
		};
	}

	private tick(): void {
		const stats = JSON.stringify(this.service.stats());
		const news = {
			...this.read([...this.dirty]),
			...(stats !== this.lastStats && { stats: this.service.stats() }),
			...(this.newEntries.length > 0 && {
				attempts: this.service.parts.ledger.attempts,
				newEntries: this.newEntries.slice(-SHOWN),
			}),
		};
		this.lastStats = stats;
		this.dirty.clear();
		this.newEntries = [];
		if (Object.keys(news).length === 0) return;
		for (const reader of this.readers) {
			if (reader.writableLength > TOO_FAR_BEHIND) reader.destroy();
			else send(reader, news);
		}
	}

	private read(topics: Topic[]): object {
		const { service } = this;
		const all = topics.includes('hooks') ? service.hooks() : [];
		return {
			...(topics.includes('hooks') && { hookCount: all.length, hooks: all.slice(-SHOWN) }),
			...(topics.includes('switches') && { switches: service.switches }),
			...(topics.includes('faults') && { faults: service.faults }),
		};
	}
}

const send = (reader: ServerResponse, news: object): void => {
	reader.write(`data: ${JSON.stringify(news)}\n\n`);
};
