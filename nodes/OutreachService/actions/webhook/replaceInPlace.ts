import { sleep } from 'n8n-workflow';

import { settingsOf, type Hook, type HookSettings } from '../../model/schemas';
import { CancelledError } from '../../api/cancellation';
import { claim } from '../../api/claims';
import { unclaimed } from '../../api/lostCreate';
import { settle, type Settled } from '../../utils/settle';
import { createWebhook, deleteWebhook, listWebhooks } from '../../api/webhooks';
import { isListed, withStanding, type Rotation } from './standing';

/** Before a create is tried again after a failure, in milliseconds. */
const PAUSE_MS = 1000;

/**
 * For a service that allows a target URL only once: the old webhook goes first. Then something has to take its place,
 * with the new secret if at all possible.
 * @throws NodeApiError or CancelledError that says what is in force
 */
export async function replaceInPlace(rotation: Rotation): Promise<Hook> {
	const { settings, told } = rotation;
	await removeFirst(rotation);
	told.replaced();
	const first = await createOrFind(rotation, settings);
	const made = first.ok ? first : await createOrFind(rotation, settings);
	if (made.ok) {
		told.created(made.value._id);
		return made.value;
	}
	told.dropped();
	throw await restored(rotation, made.error);
}

/** @throws NodeApiError or CancelledError when the old webhook is, or may be, still in force */
async function removeFirst(rotation: Rotation): Promise<void> {
	const { ctx, old, itemIndex, told } = rotation;
	const where = { itemIndex, cancellable: 'untilSent' } as const;
	const removed = await settle(deleteWebhook(ctx, old._id, where));
	if (removed.ok) return;
	if (removed.error instanceof CancelledError) {
		told.dropped();
		throw withStanding(
			removed.error,
			`The execution was stopped before the webhook ${old._id} was removed, so it is still in force with its old secret.`,
		);
	}
	if ((await isListed(rotation, old._id)) === false) return;
	told.dropped();
	throw withStanding(
		removed.error,
		`The webhook ${old._id} has to be removed first, because the service allows an address only once; that did not work. If it is still listed, it is in force with its old secret.`,
	);
}

/** Restores the old settings without a secret, which a service may have refused. @returns the error that says so */
async function restored(rotation: Rotation, why: Error): Promise<Error> {
	const { old, settings } = rotation;
	const bare = await createOrFind(rotation, { ...settings, secret: undefined });
	return withStanding(
		why,
		bare.ok
			? `The webhook ${old._id} is replaced by ${bare.value._id} with the same settings but without a secret, because the service refused the new one. Rotate the secret of ${bare.value._id}.`
			: `The webhook ${old._id} had to be removed, and could not be created again. Create one for ${old.targetUrl} (event: ${settingsOf(old).type ?? 'all'}).`,
	);
}

/** One try to make the successor. A create that seemed to fail may have worked. */
async function createOrFind(rotation: Rotation, wanted: HookSettings): Promise<Settled<Hook>> {
	const { ctx, known, itemIndex } = rotation;
	const where = { itemIndex, known, cancellable: 'never' } as const;
	const created = await settle(createWebhook(ctx, wanted, where));
	if (created.ok) return created;
	await sleep(PAUSE_MS);
	const list = await settle(listWebhooks(ctx, where));
	const [successor] = list.ok ? unclaimed(list.value, wanted, known) : [];
	if (!successor) return created;
	claim(successor._id);
	return { ok: true, value: successor };
}
