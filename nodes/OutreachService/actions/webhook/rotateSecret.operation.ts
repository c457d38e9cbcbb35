import { randomBytes } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { cancelledError, isConflict, settleRequest, type RequestError } from '../../api/errors';
import { pathInN8n, triggerUrlIn } from '../../domain/triggerUrl';
import { notice } from '../../parameters/notice';
import { hasSettings, settingsOf, type Webhook, type WebhookSettings } from '../../domain/webhook';
import { secretParameter } from '../../parameters/values';
import { settle } from '../../utils/settle';
import { itemError } from '../itemErrors';
import type { Item, Operation } from '../operation';
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
			'The new secret is in the output, once: pass it on, or copy it. The webhook gets a new ID. Webhooks of an Outreach Service Trigger are refused: it manages their secrets.',
		),
		webhookIdField,
		{
			displayName: 'New Secret',
			name: 'secret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'Leave empty to have a random one of 64 characters generated',
		},
	],
	async run(item) {
		const id = readWebhookId(item);
		const secret = item.parameters.read('secret', secretParameter.optional());
		const key = `rotation/${await item.client.account()}/${id}`;
		// An execution may name a webhook twice: the second time it is gone, and gets no second successor.
		return await item.runtime.mutex.run(key, async () => [await rotate(item, id, secret)]);
	},
};

async function rotate(item: Item, id: string, chosen: string | undefined): Promise<IDataObject> {
	const listed = await item.client.listWebhooks();
	const old = findWebhook(listed, id);
	refuseOfTrigger(item, old);
	refuseUnknownSettings(item, old);
	const secret = chosen ?? randomBytes(32).toString('hex');
	const settings: WebhookSettings = { ...settingsOf(old), secret };
	const existingIds = new Set(listed.map(({ _id }) => _id));
	const rotation = new Rotation(item.client, id, settings, existingIds);

	let successor = await rotation.create();
	if (!successor.isOldItself) {
		const isStopped = item.ctx.getExecutionCancelSignal()?.aborted === true;
		if (isStopped) throw await rotation.undo(successor.webhook, cancelledError(false));
		successor = await rotation.removeOld(successor.webhook);
	}

	const { webhook, notes } = successor;
	item.changes.done.push(webhook._id);
	if (chosen === undefined) item.changes.unseen.push(webhook._id);
	item.changes.open.push(...notes);
	const wasDisabled = settingsOf(old).disabled === true;
	const allNotes = wasDisabled ? [...notes, WAS_DISABLED] : notes;
	const result: IDataObject = { secret, replacedWebhookId: id };
	if (allNotes.length > 0) result.note = allNotes.join(' ');
	return createdItem(result, webhook, settings);
}

/** The webhook that has the new secret. */
type Successor = {
	webhook: Webhook;
	/** Whether the service has updated the old webhook in place of creating another. */
	isOldItself: boolean;
	/** What a person must know about it, in sentences. */
	notes: string[];
};

const WAS_DISABLED = 'The old webhook was disabled; the new one is enabled.';

/**
 * The successor comes first, so that no event falls into a gap. From the create on nothing is cut off: no webhook must
 * remain with a secret that nobody has seen. A service may replace or update the webhook of a target URL when it gets a
 * create (D96), so nothing is undone or claimed that a fresh list does not show.
 */
class Rotation {
	private readonly client: Client;

	/** @param existingIds of all webhooks that existed before */
	constructor(
		client: Client,
		private readonly id: string,
		private readonly settings: WebhookSettings,
		private readonly existingIds: ReadonlySet<string>,
	) {
		this.client = client.uncancellable();
	}

	/** Creates the successor. @throws RequestError that says what is there now */
	async create(): Promise<Successor> {
		const created = await settleRequest(this.client.createWebhook(this.settings, this.existingIds));
		if (created.ok) return { webhook: created.value, isOldItself: false, notes: [] };

		const { error } = created;
		const { existingId, maybeDone } = error.details;
		if (existingId === this.id) {
			const listed = await this.list();
			const webhook = listed?.find(({ _id }) => _id === this.id) ?? {
				_id: this.id,
				targetUrl: this.settings.targetUrl,
			};
			return { webhook, isOldItself: true, notes: [UPDATED] };
		}
		if (existingId !== undefined) {
			const consequence = `The service returned the webhook ${existingId}, which existed before, and may have given it the new secret.`;
			throw await this.withState(error.with(consequence));
		}
		throw await this.withState(error, maybeDone === true ? '' : 'Nothing was changed. ');
	}

	/** Removes the old webhook, and finds out what is there if it is gone already. */
	async removeOld(webhook: Webhook): Promise<Successor> {
		const { id } = this;
		const { _id } = webhook;
		const withNotes = (...notes: string[]): Successor => ({ webhook, isOldItself: false, notes });
		const removed = await settleRequest(this.client.deleteWebhook(id));
		if (!removed.ok) {
			return withNotes(
				`Delete the webhook ${id} if it is still listed: it could not be removed, and delivers with its old secret, too.`,
			);
		}
		if (removed.value.wasFound) return withNotes();

		// Somebody else has removed it, or the service has, when it got the create.
		const listed = await this.list();
		if (!listed) return withNotes(`${gone(id)} Check with 'Get Many' what is there.`);
		const [other] = this.othersIn(listed, _id);
		const isListed = listed.some((one) => one._id === _id);
		if (isListed && !other) {
			return withNotes(
				`${gone(id)} The service keeps one webhook for each target URL, or somebody deleted it. If nobody needs its events, delete ${_id}, too.`,
			);
		}

		// Another execution has replaced it, too: one successor is enough.
		if (isListed) await settleRequest(this.client.deleteWebhook(_id));
		const left = isListed ? ((await this.list()) ?? []) : listed;
		throw notFoundError(id).with(describeLeft(left, this.othersIn(left, _id), _id));
	}

	/**
	 * Removes the successor, whose secret nobody has seen, if the old webhook is still there.
	 * @returns the error, which says what is there
	 */
	async undo({ _id }: Webhook, error: RequestError): Promise<RequestError> {
		const listed = await this.list();
		const isOldListed = listed?.some((webhook) => webhook._id === this.id) === true;
		if (!isOldListed) {
			const consequence = `The webhook ${_id} has the new secret, which nobody has seen: rotate it again.`;
			return await this.withState(error.with(consequence));
		}
		const removed = await settleRequest(this.client.deleteWebhook(_id));
		if (removed.ok) return await this.withState(error);
		return error.with(
			`Delete the webhook ${_id} if it is still listed: it has the new secret, and could not be removed again.`,
		);
	}

	/** The error, with what a fresh list says of the old webhook. @param before a sentence and a space, or nothing */
	private async withState(error: RequestError, before = ''): Promise<RequestError> {
		const listed = await this.list();
		if (listed === undefined) {
			return error.with(`${before}Whether the webhook ${this.id} is still there is not known.`);
		}
		const isListed = listed.some((webhook) => webhook._id === this.id);
		if (!isListed) return error.with(`The webhook ${this.id} is no longer listed.`);
		const byHand = isConflict(error)
			? ' To change the secret, delete it, then create it again.'
			: '';
		return error.with(`${before}The webhook ${this.id} is still listed.${byHand}`);
	}

	/** All webhooks, as they are now; undefined when there is no list. */
	private async list(): Promise<Webhook[] | undefined> {
		const listed = await settle(this.client.listAgain());
		return listed.ok ? listed.value : undefined;
	}

	/** Those that another rotation of the same webhook has created meanwhile. */
	private othersIn(listed: readonly Webhook[], successorId: string): Webhook[] {
		return listed.filter(
			(webhook) =>
				webhook._id !== successorId &&
				!this.existingIds.has(webhook._id) &&
				hasSettings(webhook, this.settings),
		);
	}
}

const UPDATED =
	'The service returned the webhook with its old ID, so it updates a webhook rather than creating a second one for the same target URL. Whether it has taken the new secret is not known: accept both until an event has arrived.';

const gone = (id: string): string => `The webhook ${id} was gone when it was to be removed.`;

/** What is left after two rotations of the same webhook, as a list shows it. */
function describeLeft(
	listed: readonly Webhook[],
	others: readonly Webhook[],
	successorId: string,
): string {
	const [other] = others;
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
 * Refuses a webhook of a trigger of this n8n, which would refuse the deliveries: one that an active trigger of this process
 * uses, or whose URL has the form, because a worker in queue mode knows no triggers. No process can tell a webhook that a
 * trigger of another n8n uses.
 * @throws NodeOperationError
 */
function refuseOfTrigger(item: Item, webhook: Webhook): void {
	const isOurs = pathInN8n(webhook.targetUrl, item.ctx.getRestApiUrl()) !== undefined;
	const hasForm = isOurs && triggerUrlIn(webhook.targetUrl) !== undefined;
	const owner = item.runtime.activeNodes.owners()(webhook);
	if (!hasForm && owner === undefined) return;
	throw itemError(
		item,
		`The webhook ${webhook._id} belongs to a trigger of this n8n`,
		`${owner === undefined ? '' : `It is that of '${owner}'. `}An Outreach Service Trigger derives the secrets of its webhooks, and needs no rotation. They change with the API key.`,
	);
}

const COPIED = ['type', 'campaignId', 'isFirst', 'toolLinkId'] as const;

/**
 * Refuses a webhook with a setting that is not what the API documents (§2.1): it counts as absent elsewhere, but a copy
 * without it would be another webhook, such as one for all events.
 * @throws NodeOperationError
 */
function refuseUnknownSettings(item: Item, webhook: Webhook): void {
	const settings = settingsOf(webhook);
	const lost = COPIED.find((name) => (webhook[name] ?? '') !== '' && settings[name] === undefined);
	if (lost === undefined) return;
	throw itemError(
		item,
		`The webhook ${webhook._id} has a setting that cannot be copied`,
		`Its field '${lost}' does not hold what the API documents, so its successor would not be the same. Create a webhook with the settings that you want, then delete this one.`,
	);
}
