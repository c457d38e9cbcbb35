/** The operation *Rotate Secret* of webhooks. */
import { randomBytes } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../api/client';
import {
	cancelledError,
	isConflict,
	settleRequest,
	type ErrorText,
	type RequestError,
} from '../../api/errors';
import { ALL_EVENTS } from '../../domain/eventTypes';
import { pathInN8n, triggerUrlIn } from '../../domain/triggerUrl';
import { notice } from '../../parameters/notice';
import {
	eventOf,
	hasSettings,
	settingsOf,
	type Webhook,
	type WebhookSettings,
} from '../../domain/webhook';
import { secretParameter } from '../../parameters/values';
import { settle } from '../../utils/settle';
import { itemError } from '../itemErrors';
import type { Item, Operation } from '../operation';
import { createWebhook } from './createWebhook';
import { findWebhook, notFoundError, readWebhookId, webhookIdField } from './fields';
import { createdItem } from './webhookItem';

/** Replaces a webhook with one that has the same settings and a new secret: a secret cannot be changed (§6.4.4). */
export const rotateSecret: Operation = {
	value: 'rotateSecret',
	name: 'Rotate Secret',
	action: 'Rotate webhook secret',
	description: 'Replace a webhook with one that has the same settings and a new secret',
	builderHint: {
		propertyHint:
			'The item has the new webhook with a new _id and, only this once, its secret: hand it to the receiver in the next node. Not needed for webhooks of an Outreach Service Trigger.',
	},
	properties: [
		notice(
			'rotateNotice',
			'Only the output shows the new secret, so copy it or pass it on. The webhook gets a new ID. Webhooks of a trigger are refused, because the trigger manages their secrets.',
		),
		webhookIdField,
		{
			displayName: 'New Secret',
			name: 'secret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'If you leave this empty, the node generates a random secret of 64 characters',
		},
	],
	async run(item) {
		const id = readWebhookId(item);
		const secret = item.parameters.read('secret', secretParameter.optional());
		const key = `rotation/${await item.client.accountId()}/${id}`;
		// Several items may name the same webhook. One rotation at a time: the second one finds no webhook, and creates none.
		return await item.runtime.mutex.run(key, async () => [await rotate(item, id, secret)]);
	},
	// In the editor's table, the secret pushes the note out of sight.
	hint(output) {
		const hasNote = output.some(({ note }) => note !== undefined);
		return hasNote
			? 'Read the note in the output. It says what else you must know or do.'
			: undefined;
	},
};

/**
 * Rotates the secret of one webhook.
 * @param chosen the new secret; undefined for a random one
 * @returns the item of the successor, with its secret
 */
async function rotate(item: Item, id: string, chosen: string | undefined): Promise<IDataObject> {
	const listed = await item.client.listWebhooks();
	const old = findWebhook(listed, id);
	refuseWebhookOfTrigger(item, old);
	refuseUnknownSettings(item, old);
	const secret = chosen ?? randomBytes(32).toString('hex');
	const event = eventOf(old) ?? ALL_EVENTS;
	const settings: WebhookSettings = { ...settingsOf(old), event, secret };
	const existingIds = new Set(listed.map(({ _id }) => _id));
	const rotation = new Rotation(item, id, settings, existingIds);

	let successor = await rotation.create();
	if (!successor.isOldItself) {
		const isStopped = item.ctx.getExecutionCancelSignal()?.aborted === true;
		if (isStopped) throw await rotation.undo(successor.webhook, cancelledError());
		successor = await rotation.removeOld(successor.webhook);
	}

	const { webhook, notes } = successor;
	item.changes.done.push(webhook._id);
	if (chosen === undefined) item.changes.unseen.push(webhook._id);
	item.changes.consequences.push(...notes);
	const wasDisabled = settingsOf(old).disabled === true;
	const allNotes = wasDisabled ? [...notes, WAS_DISABLED] : notes;
	const result: IDataObject = { secret, replacedWebhookId: id };
	if (allNotes.length > 0) result.note = allNotes.join(' ');
	return createdItem(result, webhook, settings);
}

/** The webhook that has the new secret. */
type Successor = {
	webhook: Webhook;
	/** Whether the service has updated the old webhook instead of creating another one. */
	isOldItself: boolean;
	/** What a person must know about it, in sentences. */
	notes: string[];
};

const WAS_DISABLED = 'The old webhook was disabled; the new one is enabled.';

/**
 * Replaces one webhook. The successor is created before the old webhook is removed, so that no event falls into a gap.
 *
 * Stopping the execution cancels none of these requests: no webhook must remain with a secret that nobody has seen. Some
 * services replace or update the webhook of a target URL when they get a create (D96), so an error says only what a fresh
 * list shows, and the successor is removed again only if that list shows the old webhook.
 */
class Rotation {
	private readonly client: Client;

	/** @param existingIds the IDs of all webhooks that existed before */
	constructor(
		private readonly item: Item,
		private readonly id: string,
		private readonly settings: WebhookSettings,
		private readonly existingIds: ReadonlySet<string>,
	) {
		this.client = item.client.uncancellable();
	}

	/** Creates the successor. @throws RequestError that says whether the old webhook is still listed */
	async create(): Promise<Successor> {
		const item = { client: this.client, runtime: this.item.runtime };
		const created = await settleRequest(createWebhook(item, this.settings, this.existingIds));
		if (created.ok) return { webhook: created.value, isOldItself: false, notes: [] };

		const { maybeDone, details } = created.error;
		const { existingId } = details;
		if (existingId === this.id) {
			const listed = await this.list();
			const webhook = listed?.find(({ _id }) => _id === this.id) ?? {
				_id: this.id,
				targetUrl: this.settings.targetUrl,
			};
			return { webhook, isOldItself: true, notes: [UPDATED] };
		}
		const error = isConflict(created.error)
			? created.error.reworded(oncePerUrl(this.id))
			: created.error;
		if (existingId !== undefined) {
			const consequence = `The service returned the webhook ${existingId}, which existed before, and may have given it the new secret.`;
			throw await this.withState(error.with(consequence));
		}
		throw await this.withState(error, maybeDone ? '' : 'Nothing was changed. ');
	}

	/**
	 * Removes the old webhook. If it is gone already, a fresh list tells what to do.
	 * @param webhook the successor
	 * @throws RequestError when the old webhook is gone, and either another execution has replaced it, too, or the list
	 *   does not show the successor
	 */
	async removeOld(webhook: Webhook): Promise<Successor> {
		const { id: oldId } = this;
		const { _id: successorId } = webhook;
		const withNotes = (...notes: string[]): Successor => ({ webhook, isOldItself: false, notes });
		const removed = await settleRequest(this.client.deleteWebhook(oldId, { wasListed: true }));
		if (!removed.ok) {
			return withNotes(
				`Delete the webhook ${oldId} if it is still listed: it could not be removed, and delivers with its old secret, too.`,
			);
		}
		if (removed.value.wasFound) return withNotes();

		// Either somebody else has removed the old webhook, or the service has done so when it got the create.
		const listed = await this.list();
		if (!listed) return withNotes(`${gone(oldId)} Check with 'Get Many' what is there.`);
		const [otherSuccessor] = this.otherSuccessorsIn(listed, successorId);
		const isListed = listed.some((candidate) => candidate._id === successorId);
		if (isListed && !otherSuccessor) {
			return withNotes(
				`${gone(oldId)} Either the service keeps only one webhook for each target URL, or somebody has deleted it. If somebody has deleted it on purpose, delete ${successorId}, too.`,
			);
		}

		// If another execution has replaced the old webhook, too, its successor is enough, and this one is removed.
		if (isListed) {
			await settleRequest(this.client.deleteWebhook(successorId, { wasListed: true }));
		}
		const listedNow = isListed ? ((await this.list()) ?? []) : listed;
		const otherSuccessors = this.otherSuccessorsIn(listedNow, successorId);
		throw notFoundError(oldId).with(describeLeft(listedNow, otherSuccessors, successorId));
	}

	/**
	 * Removes the successor, whose secret nobody has seen, if the old webhook is still listed.
	 * @param error why the rotation ends
	 * @returns that error, which also says which of the two webhooks there are
	 */
	async undo({ _id }: Webhook, error: RequestError): Promise<RequestError> {
		const listed = await this.list();
		const isListed = (id: string): boolean => listed?.some((one) => one._id === id) === true;
		const isOldListed = isListed(this.id);
		if (!isOldListed) {
			const consequence = `The webhook ${_id} has the new secret, which nobody has seen: rotate it again.`;
			return await this.withState(error.with(consequence));
		}
		const deletion = this.client.deleteWebhook(_id, { wasListed: isListed(_id) });
		const removed = await settleRequest(deletion);
		if (removed.ok) return await this.withState(error);
		return error.with(
			`The rotation could not be undone. Delete the webhook ${_id} if it is still listed: nobody has seen its secret.`,
		);
	}

	/**
	 * Adds to an error whether a fresh list shows the old webhook.
	 * @param before a sentence and a space that come first, or nothing
	 */
	private async withState(error: RequestError, before = ''): Promise<RequestError> {
		const listed = await this.list();
		if (listed === undefined) {
			return error.with(`${before}Whether the old webhook ${this.id} is still there is not known.`);
		}
		const isListed = listed.some((webhook) => webhook._id === this.id);
		if (!isListed) return error.with(`The old webhook ${this.id} is no longer listed.`);
		const byHand = isConflict(error)
			? ' To change its secret, delete it, then create it again with the same settings and a new secret. In between, nobody gets its events.'
			: '';
		return error.with(`${before}The old webhook ${this.id} is still listed.${byHand}`);
	}

	/** All webhooks, as they are now; undefined when they cannot be listed. */
	private async list(): Promise<Webhook[] | undefined> {
		const listed = await settle(this.client.listAgain());
		return listed.ok ? listed.value : undefined;
	}

	/** The successors that other rotations of the same webhook have created meanwhile. */
	private otherSuccessorsIn(listed: readonly Webhook[], successorId: string): Webhook[] {
		return listed.filter(
			(webhook) =>
				webhook._id !== successorId &&
				!this.existingIds.has(webhook._id) &&
				hasSettings(webhook, this.settings),
		);
	}
}

/**
 * What a conflict says in a rotation. The text for a *Create* advises to delete another webhook or to use another target URL,
 * but it is the old webhook that has the URL, and its successor needs the same one.
 */
const oncePerUrl = (id: string): ErrorText => ({
	message: `The service allows no second webhook with the target URL of the webhook ${id}`,
	description:
		'The service allows each target URL only once, and a rotation creates the new webhook before it removes the old one.',
});

const UPDATED =
	'The service returned the webhook with its old ID, so it updates a webhook rather than creating a second one for the same target URL. Whether it has taken the new secret is not known. Have the receiver accept the old and the new secret until an event shows which of them it has.';

const gone = (id: string): string =>
	`The webhook ${id} no longer existed when it was to be removed.`;

/** Which successors of a webhook a list shows, in sentences. */
function describeLeft(
	listed: readonly Webhook[],
	otherSuccessors: readonly Webhook[],
	successorId: string,
): string {
	const [other] = otherSuccessors;
	const isLeft = listed.some(({ _id }) => _id === successorId);
	const ours = isLeft
		? `Delete the webhook ${successorId}: it has a secret that nobody has seen.`
		: `The new webhook ${successorId} is not listed.`;
	if (other) {
		return `Another execution seems to have replaced it: ${other._id} has the same settings. ${ours}`;
	}
	return isLeft
		? ours
		: `${ours} No webhook with these settings is listed: if its events are needed, create it again.`;
}

/**
 * Refuses a webhook of a trigger of this n8n, because the trigger would refuse deliveries with any other secret. It is one
 * if an active trigger of this process uses it, or if its target URL has the form of a trigger's: a worker in queue mode
 * knows no active triggers. A webhook of a trigger of another n8n cannot be recognized.
 * @throws NodeOperationError
 */
function refuseWebhookOfTrigger(item: Item, webhook: Webhook): void {
	const isOurs = pathInN8n(webhook.targetUrl, item.ctx.getRestApiUrl()) !== undefined;
	const hasForm = isOurs && triggerUrlIn(webhook.targetUrl) !== undefined;
	const owner = item.runtime.triggerNodes.owners()(webhook);
	if (!hasForm && owner === undefined) return;
	throw itemError(
		item,
		`The webhook ${webhook._id} belongs to a trigger of this n8n`,
		`${owner === undefined ? '' : `The trigger is '${owner}'. `}An Outreach Service Trigger derives the secrets of its webhooks, and needs no rotation. They change with the API key.`,
	);
}

/** The settings that the successor gets from the old webhook, beside the target URL. */
const COPIED = ['type', 'campaignId', 'isFirst', 'toolLinkId'] as const;

/**
 * Refuses a webhook with a setting whose value is not what the API documents (§2.1). Elsewhere, such a setting counts as
 * absent. But a successor without it would be a different webhook, such as one for all events.
 * @throws NodeOperationError
 */
function refuseUnknownSettings(item: Item, webhook: Webhook): void {
	const settings = settingsOf(webhook);
	const unreadable = COPIED.find(
		(name) => (webhook[name] ?? '') !== '' && settings[name] === undefined,
	);
	if (unreadable === undefined) return;
	throw itemError(
		item,
		`The webhook ${webhook._id} has a setting that cannot be copied`,
		`Its field '${unreadable}' has a value that the API does not document, so the node cannot copy it. Create a webhook with the settings that you want, then delete this one.`,
	);
}
