import { isCancelled, isConflict } from '../../api/errors';
import type { Webhook } from '../../model/schemas';
import { settle } from '../../utils/settle';
import { notFoundError } from './find';
import { replaceInPlace } from './replaceInPlace';
import {
	withoutSideEffects,
	isListed,
	withHint,
	withSideEffects,
	type Rotation,
} from './sideEffects';

/**
 * The successor first, so that no event falls into a gap; where a target URL may be used only once, the other order.
 * Until the removal of the old webhook is sent, stopping the execution leaves only that one; from then on the rotation
 * runs to its end, so that no webhook remains with a secret that the user does not know.
 * @returns the successor
 * @throws RequestError that says which webhook there is now, and with which secret
 */
export async function rotate(rotation: Rotation): Promise<Webhook> {
	const { client, old, settings, known, listener } = rotation;
	const created = await settle(client.createWebhook(settings, { known, cancellable: 'untilSent' }));
	if (!created.ok) {
		if (isConflict(created.error)) return await replaceInPlace(rotation);
		listener.dropped();
		throw withHint(created.error, `The webhook ${old._id} is still there with its old secret.`);
	}
	listener.created(created.value._id);
	await removeOld(rotation, created.value);
	listener.replaced();
	return created.value;
}

/**
 * Removes the old webhook once its successor is there. If that fails, the successor is removed again, but only if the list
 * still has the old one: its removal may have worked although no response came. If somebody else has removed the old one,
 * the successor is removed as well: another execution may have replaced it, or it is no longer wanted.
 * @throws RequestError that says which of the two are left
 */
async function removeOld(rotation: Rotation, successor: Webhook): Promise<void> {
	const { client, old } = rotation;
	const removed = await settle(client.deleteWebhook(old._id, { cancellable: 'untilSent' }));
	if (removed.ok) {
		if (removed.value.wasFound) return;
		if (await removeSuccessor(rotation, successor)) throw notFoundError(old._id);
		throw withSideEffects(
			notFoundError(old._id),
			`Its successor ${successor._id} could not be removed. If something else has replaced ${old._id}, delete ${successor._id}. Otherwise keep ${successor._id} and rotate its secret.`,
		);
	}
	// A removal that is cancelled was never sent.
	const wasStopped = isCancelled(removed.error);
	const isStillThere = wasStopped || (await isListed(rotation, old._id));
	if (isStillThere === false) return;
	if (isStillThere === undefined) {
		throw withSideEffects(
			removed.error,
			`The webhook ${successor._id} with the new secret has taken the place of ${old._id}. Whether ${old._id} is removed is not known: delete it if it is still listed. If you did not choose the new secret yourself, rotate the secret of ${successor._id}.`,
		);
	}
	if (await removeSuccessor(rotation, successor)) {
		throw withoutSideEffects(
			removed.error,
			wasStopped
				? `The execution was stopped before the webhook ${old._id} was removed, so it still works with its old secret. Its successor was removed again.`
				: `The webhook ${old._id} could not be removed, so it still works with its old secret. Its successor was removed again.`,
		);
	}
	throw withSideEffects(
		removed.error,
		`Neither the webhook ${old._id} nor its successor ${successor._id} could be removed: both deliver to the target URL now. To keep ${old._id} with its old secret, delete ${successor._id}.`,
	);
}

/** @returns whether the successor is gone */
async function removeSuccessor(rotation: Rotation, successor: Webhook): Promise<boolean> {
	const { client, listener } = rotation;
	const removed = await settle(client.deleteWebhook(successor._id, { cancellable: 'never' }));
	const isGone = removed.ok || (await isListed(rotation, successor._id)) === false;
	if (isGone) listener.dropped();
	return isGone;
}
