/** What the items of an execution have changed at the service, in words: n8n shows no output when an item fails. */
import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** What one item has changed at the service. Users learn it when the output is lost, because this or another item failed. */
export type ItemChanges = {
	/** The index of the input item. */
	index: number;
	/** The IDs of the webhooks that it has changed, and API requests that may have changed something: `POST /leads`. */
	done: string[];
	/** The IDs of webhooks that have a new secret which only the output shows. */
	unseen: string[];
	/** What follows from what it has done, in sentences. */
	consequences: string[];
	/** What follows from its failure, in sentences. Its own error has them already. */
	inOwnError: readonly string[];
};

/** The changes of an item that has not begun. @param index the index of the input item */
export const noChanges = (index: number): ItemChanges => ({
	index,
	done: [],
	unseen: [],
	consequences: [],
	inOwnError: [],
});

/** The maximum number of items, of webhooks and of sentences in a text. */
const MAX_NAMED = 20;
/** The maximum number of webhooks whose secret nobody has seen: more, because only their IDs tell which to rotate again. */
const MAX_UNSEEN = 100;

/** The first of many texts, and how many more there are. */
function firstOf(texts: readonly string[], max = MAX_NAMED, separator = ', '): string {
	const more = texts.length - max;
	const named = texts.slice(0, max);
	return more > 0 ? [...named, `${more} more`].join(separator) : named.join(separator);
}

/**
 * What items have changed at the service, in sentences; empty when they have changed nothing. Several items run at a time,
 * so when one fails, others have ended or are under way.
 * @param indexOfError the index of the item to whose error the text is added; undefined for a text on its own
 */
export function describeChanges(changes: readonly ItemChanges[], indexOfError?: unknown): string {
	const completed = changes
		.filter(({ done }) => done.length > 0)
		.map(({ index, done }) => `item ${index} (${firstOf(done)})`);
	const unseen = changes.flatMap((change) => change.unseen);
	const sentences = changes.flatMap(({ index, consequences, inOwnError }) => {
		const told = index === indexOfError ? inOwnError : [];
		const untold = [...consequences, ...inOwnError].filter((sentence) => !told.includes(sentence));
		return [...new Set(untold)].map((sentence) => `Item ${index}: ${sentence}`);
	});
	const texts: string[] = [];
	if (completed.length > 0) texts.push(`Already carried out: ${firstOf(completed)}.`);
	if (unseen.length > 0) {
		texts.push(
			`Nobody has seen the new secrets of these webhooks, so rotate them again: ${firstOf(unseen, MAX_UNSEEN)}.`,
		);
	}
	if (sentences.length > 0) texts.push(firstOf(sentences, MAX_NAMED, ' '));
	return texts.join(' ');
}

/**
 * The IDs of webhooks with unseen secrets that {@link describeChanges} has no room for.
 * @returns a list of at most {@link MAX_UNSEEN} IDs for each warning in the log
 */
export function unseenBeyond(changes: readonly ItemChanges[]): string[] {
	const ids = changes.flatMap((change) => change.unseen).slice(MAX_UNSEEN);
	const texts: string[] = [];
	for (let from = 0; from < ids.length; from += MAX_UNSEEN) {
		texts.push(ids.slice(from, from + MAX_UNSEEN).join(', '));
	}
	return texts;
}

/** Adds to the description of an item's error what items have changed. */
export function addChanges(
	error: NodeApiError | NodeOperationError,
	changes: readonly ItemChanges[],
): void {
	const changed = describeChanges(changes, error.context.itemIndex);
	error.description = [error.description, changed].filter(Boolean).join(' ');
}
