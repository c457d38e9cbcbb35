import {
	startService,
	type RunningService,
	type ServiceOptions,
} from '../../../tools/service/index';
import { startReceiver, type Receiver } from './receiver';

const open: { close: () => Promise<void> }[] = [];

/** Starts a service that is closed after the test. It has no control API, and no rate limit by default. */
export async function service(options: ServiceOptions = {}): Promise<RunningService> {
	const switches = { rateLimit: 'off' as const, ...options.switches };
	const running = await startService({ control: false, ...options, switches });
	open.push(running);
	return running;
}

/** The same, with the control API and page. */
export const serviceWithControl = async (options: ServiceOptions = {}): Promise<RunningService> =>
	await service({ ...options, control: true });

/** Starts a receiver that is closed after the test. */
export async function receiver(): Promise<Receiver> {
	const running = await startReceiver();
	open.push(running);
	return running;
}

afterEach(async () => {
	await Promise.all(open.splice(0).map(async (running) => running.close()));
});
