import type { INode, INodeParameters } from 'n8n-workflow';

import { startService, type RunningService, type ServiceOptions } from '../../../tools/service';
import { TriggerHost } from '../support/trigger';

/** A service and the n8n stand-ins of one test; all of it ends with the test. */
export class World {
	private readonly hosts: TriggerHost[] = [];

	private constructor(readonly service: RunningService) {}

	static async start(options: ServiceOptions = {}): Promise<World> {
		return new World(await startService(options));
	}

	/** A trigger with these events and options, not yet active. */
	async trigger(
		events: string[],
		options: INodeParameters = {},
		more: { id?: string; mode?: 'trigger' | 'manual'; node?: Partial<INode> } = {},
	): Promise<TriggerHost> {
		const host = await TriggerHost.start(
			{ baseUrl: this.service.baseUrl, apiKey: this.service.apiKey },
			{ events, options },
			more,
		);
		this.hosts.push(host);
		return host;
	}

	/** The requests since a position in the log, as `METHOD /path`. */
	asked(since = 0): string[] {
		return this.service.requests
			.slice(since)
			.map(({ method, path }) => `${method} ${path.replace(/hoo_\w+/, ':id')}`);
	}

	async end(): Promise<void> {
		await Promise.all(this.hosts.map(async (host) => await host.stop()));
		await this.service.close();
	}
}

/** Lets a trigger's clock strike, and waits until the check that it begins is through. */
export async function strike(
	host: TriggerHost,
	{ clocks }: Awaited<ReturnType<TriggerHost['startClock']>>,
): Promise<void> {
	for (const clock of clocks) clock.strike();
	// The check is queued before anything else that changes this node's webhooks, so this comes after it.
	await new Promise((resolve) => setTimeout(resolve, 0));
	await host.settled();
}
