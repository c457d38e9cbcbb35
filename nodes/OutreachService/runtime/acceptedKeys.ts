/** The keys with whose secrets deliveries are accepted (D113). */
import { sleep } from 'n8n-workflow';

import type { WebhookKey } from '../domain/secret';
import { msSince, now, type Moment } from '../utils/moment';
import { settle, type Outcome } from '../utils/settle';

/** How long an earlier key is accepted once its webhooks were replaced: their last deliveries may still be on their way. */
const AFTER_REPLACEMENT_MS = 60_000;

/** How long it is accepted by a process that is not told of the replacement, after this process has first seen the new key. */
const AFTER_NEW_KEY_MS = 120_000;

/** How often the credential of a node is read at most: not for each delivery of a flood of forged ones. */
const READ_EVERY_MS = 1_000;

type EarlierKey = { key: WebhookKey; acceptedFor?: { since: Moment; ms: number } };

type KeysOfNode = {
	current?: WebhookKey;
	earlier: Map<string, EarlierKey>;
	/** When the credential was last read, as `performance.now()` tells it. */
	readAt?: number;
	/** A reading of the credential that has not begun yet. */
	nextReading?: Promise<Outcome<WebhookKey>> | undefined;
};

/**
 * The keys of each node: the current one, and earlier ones whose webhooks may still deliver. A node is identified by `nodeKey`, or
 * by `testRunOf`.
 */
export class AcceptedKeys {
	private readonly keys = new Map<string, KeysOfNode>();

	get size(): number {
		return this.keys.size;
	}

	/**
	 * Notes the key that the credential gives now.
	 * @param options.isTold whether {@link replaced} will say when the webhooks of earlier keys are gone
	 */
	use(node: string, key: WebhookKey, { isTold }: { isTold: boolean }): void {
		const ofNode = this.of(node);
		const { current, earlier } = ofNode;
		ofNode.current = key;
		earlier.delete(key.id);
		if (!current || current.id === key.id) return;
		const acceptedFor = { since: now(), ms: AFTER_NEW_KEY_MS };
		earlier.set(current.id, isTold ? { key: current } : { key: current, acceptedFor });
	}

	/** Notes that all webhooks of a node have its current key. */
	replaced(node: string): void {
		for (const earlier of this.of(node).earlier.values()) {
			earlier.acceptedFor ??= { since: now(), ms: AFTER_REPLACEMENT_MS };
		}
	}

	/** The key with an ID, if its secrets are accepted. @param keyId undefined for the current key */
	find(node: string, keyId: string | undefined): WebhookKey | undefined {
		const { current, earlier } = this.of(node);
		if (keyId === undefined || current?.id === keyId) return current;
		const found = earlier.get(keyId);
		if (!found) return undefined;
		const { key, acceptedFor } = found;
		if (!acceptedFor || msSince(acceptedFor.since) < acceptedFor.ms) return key;
		earlier.delete(keyId);
		return undefined;
	}

	/**
	 * As {@link find}; if the ID is unknown, the credential may have a new key, so it is read again.
	 * @param read reads the key from the credential
	 * @param options see {@link use}
	 * @returns the error of the reading if it has failed
	 */
	async findOrRead(
		node: string,
		keyId: string | undefined,
		read: () => Promise<WebhookKey>,
		options: { isTold: boolean },
	): Promise<Outcome<WebhookKey | undefined>> {
		const known = this.find(node, keyId);
		if (known) return { ok: true, value: known };
		const ofNode = this.of(node);
		ofNode.nextReading ??= this.readSoon(ofNode, read);
		const outcome = await ofNode.nextReading;
		if (!outcome.ok) return outcome;
		this.use(node, outcome.value, options);
		return { ok: true, value: this.find(node, keyId) };
	}

	/** Reads the credential at once, or a second after the reading before. */
	private async readSoon(
		ofNode: KeysOfNode,
		read: () => Promise<WebhookKey>,
	): Promise<Outcome<WebhookKey>> {
		const wait = (ofNode.readAt ?? -Infinity) + READ_EVERY_MS - performance.now();
		// Also without a wait, this goes on only once the caller has noted the reading.
		await (wait > 0 ? sleep(wait) : undefined);
		ofNode.readAt = performance.now();
		// Whoever comes from now on needs another reading: this one may miss a key that is entered meanwhile.
		ofNode.nextReading = undefined;
		return await settle(read());
	}

	private of(node: string): KeysOfNode {
		const ofNode = this.keys.get(node) ?? { earlier: new Map<string, EarlierKey>() };
		this.keys.set(node, ofNode);
		return ofNode;
	}
}
