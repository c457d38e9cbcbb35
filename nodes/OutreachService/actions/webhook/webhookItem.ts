import type { IDataObject } from 'n8n-workflow';

import { repeats } from '../../api/quote';
import type { WebhookSettings } from '../../model/schemas';

/** A shorter secret is part of many a text by chance: of those, only the secret itself counts as repeated. */
const SHORTEST_INSIDE = 8;

/** Whether a field may repeat a secret, at whatever depth and in whatever encoding. */
function holds(secret: string, field: [name: string, value: unknown]): boolean {
	try {
		const text = JSON.stringify(field);
		return secret.length < SHORTEST_INSIDE
			? text.includes(JSON.stringify(secret))
			: repeats(text, [secret]);
	} catch {
		// It is nested too deeply to be searched.
		return true;
	}
}

/**
 * The item for a webhook: the service's own object, preceded by what the operation did, whose fields win. In the editor's
 * table, columns are as many as there are fields: what decides would be out of sight.
 *
 * The service never returns a secret (§6.4), but another server in its place may, under any name: such fields are as they
 * were sent, or left out.
 * @param sent the settings with which the webhook was created
 */
export function webhookItem(
	result: IDataObject,
	webhook: IDataObject,
	{ secret = '', ...sent }: Partial<WebhookSettings> = {},
): IDataObject {
	const settings: IDataObject = sent;
	const shown = Object.entries(webhook).flatMap(
		([name, value]): Array<[string, IDataObject[string]]> => {
			if (name === 'secret') return [];
			if (secret === '' || !holds(secret, [name, value])) return [[name, value]];
			return Object.hasOwn(settings, name) ? [[name, settings[name]]] : [];
		},
	);
	return { ...result, ...Object.fromEntries(shown), ...result };
}
