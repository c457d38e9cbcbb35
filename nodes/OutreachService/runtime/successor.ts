import type { RegisteredWebhook } from '../model/registration';
import { isSameUrl } from '../model/targetUrl';
import type { ActiveNode } from './activeNodes';

/** Tells an active trigger how the rotation of one of its webhooks proceeds. */
export type RotationListener = {
	/** The successor was created. Until `replaced` or `dropped`, the trigger accepts both secrets. */
	created(id: string): void;
	/** The old webhook was removed. */
	replaced(): void;
	/** The successor was not created, or is removed again. */
	dropped(): void;
};

/** For a webhook that no trigger of this process uses. */
export const NO_LISTENER: RotationListener = {
	created: () => undefined,
	replaced: () => undefined,
	dropped: () => undefined,
};

/** Stands for the ID until the response to the create provides it. */
const PENDING = '';

/**
 * Makes an active trigger accept a webhook's successor, for which a user chose the secret. The trigger keeps it until
 * n8n restarts; then it registers one with a derived secret.
 */
function acceptSuccessor(node: ActiveNode, oldId: string, successor: RegisteredWebhook): void {
	node.webhooks = [
		...node.webhooks.filter(({ id }) => id !== oldId),
		{ ...successor, secretSetByUser: true },
	];
	node.unsaved = new Set([...node.unsaved, successor.id]);
}

/**
 * Makes an active trigger accept the secret of a webhook's successor from now on. Called before the successor is
 * created: the service may deliver with the new secret before it responds.
 * @param digest the SHA-256 of the new secret
 */
export function expectSuccessor(
	node: ActiveNode,
	old: { _id: string; targetUrl: string },
	digest: string,
): RotationListener {
	const replaced =
		node.webhooks.find(({ id }) => id === old._id) ??
		node.desired.find(({ targetUrl }) => isSameUrl(targetUrl, old.targetUrl));
	if (!replaced) return NO_LISTENER;
	const { event, targetUrl, campaignId, isFirst } = replaced;
	let successor: RegisteredWebhook = { id: PENDING, event, targetUrl, digest };
	if (campaignId !== undefined) successor.campaignId = campaignId;
	if (isFirst !== undefined) successor.isFirst = isFirst;
	const without = (id: string): RegisteredWebhook[] =>
		node.webhooks.filter((webhook) => webhook.id !== id);
	node.webhooks = [...node.webhooks, successor];
	return {
		created: (id) => {
			successor = { ...successor, id };
			acceptSuccessor(node, PENDING, successor);
		},
		replaced: () => {
			node.webhooks = without(old._id);
		},
		dropped: () => {
			node.webhooks = without(successor.id);
		},
	};
}
