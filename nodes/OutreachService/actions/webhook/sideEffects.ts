import type { Client } from '../../api/createClient';
import { RequestError } from '../../api/errors';
import type { Webhook, WebhookSettings } from '../../model/schemas';
import type { RecentCreates } from '../../api/recentCreates';
import type { RotationListener } from '../../runtime/successor';
import { settle } from '../../utils/settle';

/** One rotation: what is replaced, by what, and the IDs of all webhooks that existed before. */
export type Rotation = {
	client: Client;
	recentCreates: RecentCreates;
	old: Webhook;
	settings: WebhookSettings;
	known: ReadonlySet<string>;
	/** Of the trigger that uses the webhook. */
	listener: RotationListener;
};

/** Whether the service still lists a webhook; undefined when the list cannot be fetched. */
export async function isListed({ client }: Rotation, id: string): Promise<boolean | undefined> {
	const list = await settle(client.listWebhooks({ cancellable: 'never' }));
	return list.ok ? list.value.some(({ _id }) => _id === id) : undefined;
}

/** The same error, which first says what has changed at the service. */
export const withSideEffects = (error: Error, sideEffects: string): Error =>
	error instanceof RequestError ? error.with({ sideEffects }) : error;

/** The same error, which first says what is the same at the service as before. */
export const withHint = (error: Error, hint: string): Error =>
	error instanceof RequestError ? error.with({ hint }) : error;

/** The same error, which first says that everything is as before, because what had changed was undone. */
export const withoutSideEffects = (error: Error, hint: string): Error =>
	error instanceof RequestError ? error.undone(hint) : error;
