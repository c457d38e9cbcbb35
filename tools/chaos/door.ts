import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../host';
import { startBalancer } from '../queue/balancer';

/** The way to the service. Closed, the service is as one that restarts: requests under way are cut, new ones refused. */
export interface Door {
	/** Of the service's API through this door. */
	readonly baseUrl: string;
	/** Closes for so many milliseconds, and returns at once. One that is closed already stays closed until then. */
	closeFor(ms: number): void;
	/** Waits until it is open again. */
	opened(): Promise<void>;
	stop(): Promise<void>;
}

export async function openDoor(service: { baseUrl: string }): Promise<Door> {
	const inside = new URL(service.baseUrl);
	const port = await freePort();
	const target = Number(inside.port);
	let balancer = await startBalancer([target], port);
	let closed = Promise.resolve();
	return {
		baseUrl: `http://127.0.0.1:${port}${inside.pathname}`,
		closeFor: (ms) => {
			closed = closed.then(async () => {
				await balancer.stop();
				await pause(ms);
				balancer = await startBalancer([target], port);
			});
		},
		opened: () => closed,
		stop: async () => {
			await closed;
			await balancer.stop();
		},
	};
}
