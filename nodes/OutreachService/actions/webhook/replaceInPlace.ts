import { sleep } from 'n8n-workflow';

import { isCancelled, mayHaveWorked } from '../../api/errors';
import { unclaimed } from '../../api/lostCreate';
import { settingsOf, type Webhook, type WebhookSettings } from '../../model/schemas';
import { settle, type Settled } from '../../utils/settle';
import { notFoundError } from './find';
import { withoutSideEffects, isListed, withSideEffects, type Rotation } from './sideEffects';

/** Before a create is tried again after a failure, in milliseconds. */
const PAUSE_MS = 1000;

/**
 * For a service that allows a target URL only once: the old webhook is removed first. Then something must take its
 * place, with the new secret if at all possible.
 * @throws RequestError that says which webhook there is now
 */
export async function replaceInPlace(rotation: Rotation): Promise<Webhook> {
	const { settings, listener } = rotation;
	await removeFirst(rotation);
	listener.replaced();
	const first = await createOrFind(rotation, settings);
	const made = first.ok ? first : await createOrFind(rotation, settings);
	if (made.ok) {
		listener.created(made.value._id);
		return made.value;
	}
	listener.dropped();
	throw await restored(rotation, first.ok ? [made.error] : [first.error, made.error]);
}

/** @throws RequestError when the old webhook is still there, or may be, or when somebody else has removed it */
async function removeFirst(rotation: Rotation): Promise<void> {
	const { client, old, listener } = rotation;
	const removed = await settle(client.deleteWebhook(old._id, { cancellable: 'untilSent' }));
	if (removed.ok) {
		if (removed.value.wasFound) return;
		// What now has the target URL may be another execution's, with its secret.
		listener.dropped();
		throw notFoundError(old._id);
	}
	if (isCancelled(removed.error)) {
		listener.dropped();
		throw withoutSideEffects(
			removed.error,
			`The execution was stopped before the webhook ${old._id} was removed, so it still works with its old secret.`,
		);
	}
	if ((await isListed(rotation, old._id)) === false) return;
	listener.dropped();
	throw withSideEffects(
		removed.error,
		`The webhook ${old._id} must be removed first, because the service allows a target URL only once; that did not work. If it is still listed, it works with its old secret.`,
	);
}

/** Restores the old settings without a secret, which a service may have rejected. @returns the error that says so */
async function restored(rotation: Rotation, failures: [Error, ...Error[]]): Promise<Error> {
	const { old, settings } = rotation;
	const bare = await createOrFind(rotation, { ...settings, secret: undefined });
	const why = failures.at(-1) ?? failures[0];
	const again = `Create one for ${old.targetUrl} (event: ${settingsOf(old).type ?? 'all'}).`;
	if (bare.ok) {
		return withSideEffects(
			why,
			`The webhook ${old._id} is replaced by ${bare.value._id} with the same settings but without a secret, because the service refused the new one. Rotate the secret of ${bare.value._id}.`,
		);
	}
	return withSideEffects(
		why,
		[...failures, bare.error].some(mayHaveWorked)
			? `The webhook ${old._id} had to be removed. Whether a successor was created is not known: check with the operation 'Get Many'. If there is one, rotate its secret. If there is none: ${again}`
			: `The webhook ${old._id} had to be removed, and could not be created again. ${again}`,
	);
}

/** One attempt at creating the successor. A create that seemed to fail may have worked. */
async function createOrFind(
	{ client, recentCreates, known }: Rotation,
	settings: WebhookSettings,
): Promise<Settled<Webhook>> {
	const created = await settle(client.createWebhook(settings, { known, cancellable: 'never' }));
	if (created.ok) return created;
	await sleep(PAUSE_MS);
	const list = await settle(client.listWebhooks({ cancellable: 'never' }));
	const [successor] = list.ok ? unclaimed(list.value, settings, { known, recentCreates }) : [];
	if (!successor) return created;
	recentCreates.add(successor._id);
	return { ok: true, value: successor };
}
