import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeApiError, sleep } from 'n8n-workflow';

import { settingsOf, type Hook, type HookSettings } from '../../model/schemas';
import { isSameUrl } from '../../model/targetUrl';
import { settle, type Settled } from '../../transport/settle';
import { createWebhook, deleteWebhook, listWebhooks } from '../../transport/webhooks';

/** Before a create is tried again after a failure, in milliseconds. */
const PAUSE_MS = 1000;

/** One rotation: what is replaced, by what, and the IDs of all webhooks that there were before. */
export type Rotation = {
	ctx: IExecuteFunctions;
	old: Hook;
	settings: HookSettings;
	known: ReadonlySet<string>;
	itemIndex: number;
};

/** An error that first says which webhook is in force now: that matters more than why it failed. */
export function withStanding(error: Error, standing: string): Error {
	if (error instanceof NodeApiError) error.description = `${standing} ${error.description ?? ''}`;
	return error;
}

/** Whether the service still lists a webhook; undefined when it cannot be asked. */
async function isListed({ ctx, itemIndex }: Rotation, id: string): Promise<boolean | undefined> {
	const list = await settle(listWebhooks(ctx, { itemIndex }));
	return list.ok ? list.value.some(({ _id }) => _id === id) : undefined;
}

/**
 * Removes the old webhook once its successor is there. If that fails, the successor goes again, but only when the
 * old one is seen to be in force still: its removal may have worked although no answer came.
 * @throws NodeApiError that says which of the two are in force
 */
export async function removeOld(rotation: Rotation, successor: Hook): Promise<void> {
	const { ctx, old, itemIndex } = rotation;
	const removed = await settle(deleteWebhook(ctx, old._id, { itemIndex }));
	if (removed.ok) return;
	const isStillThere = await isListed(rotation, old._id);
	if (isStillThere === false) return;
	if (isStillThere === undefined) {
		throw withStanding(
			removed.error,
			`The webhook ${successor._id} with the new secret has taken the place of ${old._id}. Whether ${old._id} is removed is not known: delete it if it is still listed. If you did not choose the new secret yourself, rotate the secret of ${successor._id}.`,
		);
	}
	const undone = await settle(deleteWebhook(ctx, successor._id, { itemIndex }));
	throw withStanding(
		removed.error,
		undone.ok
			? `The webhook ${old._id} could not be removed, so it is still in force with its old secret, and its successor is gone again.`
			: `Neither the webhook ${old._id} nor its successor ${successor._id} could be removed: both call the address now. Delete one of them.`,
	);
}

/**
 * For a service that allows an address only once: the old webhook goes first. Then something has to take its place,
 * with the new secret if at all possible.
 * @throws NodeApiError that says what is in force
 */
export async function replaceInPlace(rotation: Rotation): Promise<Hook> {
	const { ctx, old, settings, itemIndex } = rotation;
	const removed = await settle(deleteWebhook(ctx, old._id, { itemIndex }));
	if (!removed.ok && (await isListed(rotation, old._id)) !== false) {
		throw withStanding(
			removed.error,
			`The webhook ${old._id} has to be removed first, because the service allows an address only once; that did not work. If it is still listed, it is in force with its old secret.`,
		);
	}
	const first = await createOrFind(rotation, settings);
	if (first.ok) return first.value;
	const second = await createOrFind(rotation, settings);
	if (second.ok) return second.value;
	const bare = await createOrFind(rotation, { ...settings, secret: undefined });
	throw withStanding(
		first.error,
		bare.ok
			? `The webhook ${old._id} is replaced by ${bare.value._id} with the same settings but without a secret, because the service refused the new one. Rotate the secret of ${bare.value._id}.`
			: `The webhook ${old._id} had to be removed, and could not be created again. Create one for ${old.targetUrl} (event: ${settingsOf(old).type ?? 'all'}).`,
	);
}

/** One try to make the successor. A create that seemed to fail may have worked. */
async function createOrFind(rotation: Rotation, wanted: HookSettings): Promise<Settled<Hook>> {
	const { ctx, known, itemIndex } = rotation;
	const created = await settle(createWebhook(ctx, wanted, { itemIndex, known }));
	if (created.ok) return created;
	await sleep(PAUSE_MS);
	const successor = await newcomer(rotation);
	return successor ? { ok: true, value: successor } : created;
}

/** A webhook with the address that was not there before the rotation. */
async function newcomer({ ctx, settings, known, itemIndex }: Rotation): Promise<Hook | undefined> {
	const list = await settle(listWebhooks(ctx, { itemIndex }));
	if (!list.ok) return undefined;
	return list.value.find(
		({ _id, targetUrl }) => isSameUrl(targetUrl, settings.targetUrl) && !known.has(_id),
	);
}
