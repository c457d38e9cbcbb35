import { randomBytes } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { cancelledError, isConflict, onlyRequestError, RequestError } from '../../api/errors';
import { pathInN8n, triggerUrlIn } from '../../domain/n8nUrls';
import { notice } from '../../parameters/notice';
import { hasSettings, settingsOf, type Webhook, type WebhookSettings } from '../../domain/webhook';
import { secretParameter } from '../../parameters/values';
import { settle } from '../../utils/settle';
import { itemError, type Item, type Operation } from '../operation';
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
	const { ctx, changes } = item;
	const listed = await item.client.listWebhooks();
	const old = findWebhook(listed, id);
	refuseOfTrigger(item, old);
	refuseUnknownSettings(item, old);
	const secret = chosen ?? randomBytes(32).toString('hex');
	const settings: WebhookSettings = { ...settingsOf(old), secret };
	const rotation = new Rotation(item.client, id, settings, new Set(listed.map(({ _id }) => _id)));
	const finished = ({ _id, webhook, notes }: Successor): IDataObject => {
		changes.done.push(_id);
		if (chosen === undefined) changes.unseen.push(_id);
		changes.open.push(...notes);
		const result: IDataObject = { secret, replacedWebhookId: id };
		if (settingsOf(old).disabled === true) notes.push(WAS_DISABLED);
		if (notes.length > 0) result.note = notes.join(' ');
		return createdItem(result, webhook, settings);
	};
	const successor = await rotation.create();
	if (successor.notes.length > 0) return finished(successor);
	if (ctx.getExecutionCancelSignal()?.aborted === true) {
		throw await rotation.undo(successor.webhook, cancelledError(false));
	}
	return finished(await rotation.removeOld(successor.webhook));
}

/** The webhook that has the new secret, and what a person must know about it, in sentences. */
type Successor = { _id: string; webhook: Webhook; notes: string[] };

const WAS_DISABLED = 'The old webhook was disabled; the new one is enabled.';

/**
 * The successor comes first, so that no event falls into a gap. From the create on nothing is cut off: no webhook must
 * remain with a secret that nobody has seen. A service may replace or update the webhook of a target URL when it gets a
 * create (D96), so nothing is undone or claimed that a fresh list does not show.
 */
class Rotation {
	private readonly client: Client;

	/** @param known the IDs of all webhooks that existed before */
	constructor(
		client: Client,
		private readonly id: string,
		private readonly settings: WebhookSettings,
		private readonly known: ReadonlySet<string>,
	) {
		this.client = client.uncancellable();
	}

	/** Creates the successor. With a note, it is the old webhook itself, and nothing is to be removed. */
	async create(): Promise<Successor> {
		const created = await this.client
			.createWebhook(this.settings, this.known)
			.catch(onlyRequestError);
		if (!(created instanceof RequestError)) {
			return { _id: created._id, webhook: created, notes: [] };
		}
		const { existingId, maybeDone } = created.details;
		if (existingId === this.id) {
			const webhook = { _id: this.id, targetUrl: this.settings.targetUrl };
			return {
				_id: this.id,
				webhook: (await this.list())?.find(({ _id }) => _id === this.id) ?? webhook,
				notes: [UPDATED],
			};
		}
		const error =
			existingId === undefined
				? created
				: created.with(
						`The service returned the webhook ${existingId}, which existed before, and may have given it the new secret.`,
					);
		const mayBeChanged = maybeDone === true || existingId !== undefined;
		throw await this.withState(error, mayBeChanged ? '' : 'Nothing was changed. ');
	}

	/** Removes the old webhook, and finds out what is there if it is gone already. */
	async removeOld(successor: Webhook): Promise<Successor> {
		const { id } = this;
		const { _id } = successor;
		const result = { _id, webhook: successor };
		const removed = await this.client.deleteWebhook(id).catch(onlyRequestError);
		if (removed instanceof RequestError) {
			const note = `Delete the webhook ${id} if it is still listed: it could not be removed, and delivers with its old secret, too.`;
			return { ...result, notes: [note] };
		}
		if (removed.wasFound) return { ...result, notes: [] };

		const listed = await this.list();
		if (!listed) return { ...result, notes: [`${gone(id)} Check with 'Get Many' what is there.`] };
		const [other] = this.othersIn(listed, _id);
		const isListed = listed.some((webhook) => webhook._id === _id);
		if (isListed && !other) {
			const note = `${gone(id)} The service keeps one webhook for each target URL, or somebody deleted it. If nobody needs its events, delete ${_id}, too.`;
			return { ...result, notes: [note] };
		}
		if (isListed) await this.client.deleteWebhook(_id).catch(onlyRequestError);
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
			return await this.withState(
				error.with(
					`The webhook ${_id} has the new secret, which nobody has seen: rotate it again.`,
				),
			);
		}
		const removed = await this.client.deleteWebhook(_id).catch(onlyRequestError);
		if (!(removed instanceof RequestError)) return await this.withState(error);
		return error.with(
			`Delete the webhook ${_id} if it is still listed: it has the new secret, and could not be removed again.`,
		);
	}

	/** The error, with what a fresh list says of the old webhook. */
	private async withState(error: RequestError, before = ''): Promise<RequestError> {
		const listed = await this.list();
		const isListed = listed?.some((webhook) => webhook._id === this.id);
		const byHand = isConflict(error)
			? ' To change the secret, delete it, then create it again.'
			: '';
		if (isListed === undefined) {
			return error.with(`${before}Whether the webhook ${this.id} is still there is not known.`);
		}
		if (!isListed) return error.with(`The webhook ${this.id} is no longer listed.`);
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
				!this.known.has(webhook._id) &&
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
