import { EventEmitter } from 'node:events';

/** The connection of a sender. */
class Connection extends EventEmitter {
	destroyed = false;
}

/** The parts of Node's response that show what was sent, and whether the sender is still connected. */
export class Response extends EventEmitter {
	statusCode = 200;

	writableEnded = false;

	readonly req = { socket: new Connection() };

	/** What the sender was told; undefined if it had disconnected before. */
	told: number | undefined;

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
		if (this.isGone) return;
		this.told = statusCode;
		this.emit('finish');
		this.disconnect();
	}

	get isGone(): boolean {
		return this.req.socket.destroyed;
	}

	disconnect(): void {
		if (this.isGone) return;
		this.req.socket.destroyed = true;
		this.req.socket.emit('close');
	}
}
