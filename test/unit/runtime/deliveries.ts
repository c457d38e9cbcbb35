import { EventEmitter } from 'node:events';

import type { ClaimResult, Duplicates } from '../../../nodes/OutreachService/runtime/duplicates';

/** The connection of a sender. */
class Connection extends EventEmitter {
	destroyed = false;
}

/** The parts of Node's response that show what was sent, and whether the sender is still connected. */
export class Response extends EventEmitter {
	statusCode = 200;

	writableEnded = false;

	readonly req = { socket: new Connection() };

	get destroyed(): boolean {
		return this.req.socket.destroyed;
	}

	setHeader(): void {
		// The tests see the status alone.
	}

	status(code: number): { end(): void } {
		return { end: () => this.end(code) };
	}

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
		this.req.socket.destroyed = true;
		this.req.socket.emit('close');
	}
}

/** A delivery and the result of its claim. */
export class Delivery {
	readonly response = new Response();

	result: ClaimResult | undefined;

	readonly sentAt = performance.now();

	constructor(
		duplicates: Duplicates,
		readonly key: string,
		readonly node = 'node',
		isGone = false,
	) {
		if (isGone) this.response.disconnect();
		void this.claim(duplicates);
	}

	private async claim(duplicates: Duplicates): Promise<void> {
		this.result = await duplicates.claim(this.node, this.key, this.response);
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
