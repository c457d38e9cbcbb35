import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type {
	ClaimResult,
	Deduplicator,
} from '../../../nodes/OutreachService/runtime/deduplicator';

/** How often everything is collected: what was just awaited may still be referred to in the turns that follow. */
const COLLECTIONS = 3;

/** Collects what nothing refers to any more, and waits until all that watch it have been told. */
export async function collectGarbage(): Promise<void> {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	let collected = 0;
	const collections = new FinalizationRegistry(() => (collected += 1));
	for (let count = 1; count <= COLLECTIONS; count += 1) {
		collections.register({}, count);
		// How many turns that takes depends on the load of the machine.
		while (collected < count) {
			await nextTurn();
			collect();
		}
		await nextTurn();
	}
}

/** The parts of Node's response that show what was sent, and whether the sender is still connected. */
export class Response extends EventEmitter {
	statusCode = 200;

	writableEnded = false;

	destroyed = false;

	/** Ends the response, as n8n does. Node emits nothing if the sender has disconnected. */
	end(statusCode: number): void {
		this.statusCode = statusCode;
		this.writableEnded = true;
		if (this.destroyed) return;
		this.emit('finish');
		this.disconnect();
	}

	disconnect(): void {
		if (this.destroyed) return;
		this.destroyed = true;
		this.emit('close');
	}
}

/** A delivery and the result of its claim. */
export class Delivery {
	readonly response = new Response();

	result: ClaimResult | undefined;

	readonly sentAt = performance.now();

	constructor(
		deduplicator: Deduplicator,
		readonly key: string,
		readonly node = 'node',
		isGone = false,
	) {
		if (isGone) this.response.disconnect();
		void deduplicator.claim(node, key, this.response).then((result) => {
			this.result = result;
		});
	}

	/** Whether n8n has yet to respond to it. */
	get isOpen(): boolean {
		return this.result === 'claimed' && !this.response.writableEnded;
	}

	/** Whether n8n has responded with success. */
	get isTaken(): boolean {
		const { statusCode, writableEnded } = this.response;
		return this.result === 'claimed' && writableEnded && statusCode >= 200 && statusCode < 300;
	}
}
