import Fastify from 'fastify';
import { z } from 'zod';

const createdSchema = z.object({ webhook: z.object({ url: z.string() }) });

/** As much of the API of n8n's built-in trigger as its activation needs. */
export interface MarketingService {
	url: string;
	/** The URL that the trigger has registered; undefined before that. */
	targetUrl(): string | undefined;
	close(): Promise<void>;
}

/** Starts it on a free port of this machine. */
export async function startMarketingService(): Promise<MarketingService> {
	let targetUrl: string | undefined;
	const app = Fastify();
	app.post('/api/3/webhooks', (request) => {
		targetUrl = createdSchema.parse(request.body).webhook.url;
		return { webhook: { id: '1' } };
	});
	const url = await app.listen({ host: '127.0.0.1', port: 0 });
	return { url, targetUrl: () => targetUrl, close: async () => await app.close() };
}
