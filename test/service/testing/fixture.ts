import {
	startService,
	type RunningService,
	type ServiceOptions,
} from '../../../tools/service/index';
import { startReceiver, type Receiver } from './receiver';

const open: { close: () => Promise<void> }[] = [];

/** Starts a service that is closed after the test. The rate limit is off by default. */
export async function service(options: ServiceOptions = {}): Promise<RunningService> {
	const switches = { rateLimit: 'off' as const, ...options.switches };
	const running = await startService({ ...options, switches });
	open.push(running);
	return running;
}

/** Starts a receiver that is closed after the test. */
export async function receiver(): Promise<Receiver> {
	const running = await startReceiver();
	open.push(running);
	return running;
}

afterEach(async () => {
	await Promise.all(open.splice(0).map(async (running) => running.close()));
});
