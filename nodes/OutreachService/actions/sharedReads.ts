import type { Client } from '../api/client';

/**
 * Makes the clients of an execution fetch the list of webhooks and the people schema once for all its items, until one of
 * them changes a webhook: two hundred items would otherwise take twenty seconds of the rate limit. A list that was begun
 * before or during a change is not used after it.
 */
export function sharedReads(): (client: Client) => Client {
	let list: ReturnType<Client['listWebhooks']> | undefined;
	let schema: ReturnType<Client['getPeopleSchema']> | undefined;
	const changing = async <T>(change: Promise<T>): Promise<T> => {
		list = undefined;
		return await change.finally(() => {
			list = undefined;
		});
	};
	return (client) => ({
		...client,
		listWebhooks: async () => {
			const current = (list ??= client.listWebhooks());
			// After a failure, the next item tries again.
			current.catch(() => {
				if (list === current) list = undefined;
			});
			return await current;
		},
		getPeopleSchema: async () => {
			const current = (schema ??= client.getPeopleSchema());
			current.catch(() => {
				if (schema === current) schema = undefined;
			});
			return await current;
		},
		createWebhook: async (...args) => await changing(client.createWebhook(...args)),
		deleteWebhook: async (...args) => await changing(client.deleteWebhook(...args)),
	});
}
