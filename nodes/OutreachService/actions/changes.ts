/** What the items of an execution have changed at the service, in words: n8n shows no output when an item fails. */

/** What one item has changed at the service. Users learn it when the output is lost, because this or another item failed. */
export type ItemChanges = {
	/** The index of the input item. */
	readonly index: number;
	/** The IDs of the webhooks that it has changed, and API requests that may have changed something: `POST /leads`. */
	readonly done: string[];
	/** What follows from what it has done or failed to do, in sentences. */
	readonly consequences: string[];
};

/** The maximum number of items, webhooks or fields that a text names. */
const MAX_NAMED = 20;

/** The first of many texts, and how many more there are. */
export function firstOf(texts: readonly string[]): string {
	const more = texts.length - MAX_NAMED;
	const named = texts.slice(0, MAX_NAMED);
	return (more > 0 ? [...named, `${more} more`] : named).join(', ');
}

/**
 * What items have changed at the service, in sentences; empty when they have changed nothing. Several items run at a time,
 * so when one fails, others have ended or are under way. No consequence is left out: each asks for something else.
 * @param told the error to which the text is added: what it says of its own item is not said twice
 */
export function describeChanges(
	changes: readonly ItemChanges[],
	told: { itemIndex?: unknown; text?: string } = {},
): string {
	const done = changes
		.filter((item) => item.done.length > 0)
		.map((item) => `item ${item.index} (${firstOf(item.done)})`);
	const sentences = changes.flatMap(({ index, consequences }) =>
		[...new Set(consequences)]
			.filter((sentence) => index !== told.itemIndex || !told.text?.includes(sentence))
			.map((sentence) => `Item ${index}: ${sentence}`),
	);
	const carriedOut = done.length > 0 ? [`Already carried out: ${firstOf(done)}.`] : [];
	return [...carriedOut, ...sentences].join(' ');
}
