import { EventEmitter } from 'node:events';

import type { Deduplicator } from '../../../nodes/OutreachService/runtime/deduplicator';
import { type ClaimResult } from '../../../nodes/OutreachService/runtime/deduplicator';

/** Node's response to one delivery, as far as it tells what the sender was told and whether it is still there. */
export class Response extends EventEmitter {
	statusCode = 200;

	writableEnded = false;

	destroyed = false;

	/** n8n ends the response; of one whose sender has disconnected, Node emits nothing. */
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

/** A delivery and what was decided about it. */
export class Delivery {
	readonly response = new Response();

	result: ClaimResult | undefined;

	decidedAt = 0;

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
			this.decidedAt = performance.now();
		});
	}

	/** Whether n8n is still taking it. */
	get isOpen(): boolean {
		return this.result === 'claimed' && !this.response.writableEnded;
	}

	get isTaken(): boolean {
		const { statusCode, writableEnded } = this.response;
		return this.result === 'claimed' && writableEnded && statusCode >= 200 && statusCode < 300;
	}
}
