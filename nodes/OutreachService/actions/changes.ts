/** What the items of an execution have changed at the service, for whoever does not see their output. */

/** What an item has changed at the service. It is told when the output is lost, with the failure of this or another item. */
export type Changes = {
	index: number;
	/** The IDs of webhooks that were created or deleted. */
	done: string[];
	/** The IDs of webhooks that have a new secret which only the output shows. */
	unseen: string[];
	/** What else a person must know, in sentences. */
	open: string[];
	/** What follows from the failure of the item, in sentences that the description of its own error has already. */
	consequences: readonly string[];
};

export const noChanges = (index: number): Changes => ({
	index,
	done: [],
	unseen: [],
	open: [],
	consequences: [],
});

/** How many items, webhooks and sentences a text has. */
const MAX_NAMED = 20;
/** How many webhooks it names whose secret nobody has seen: only their IDs tell which to rotate again. */
const MAX_UNSEEN = 100;

/** The first of many texts, and how many more there are. */
function firstOf(texts: readonly string[], max = MAX_NAMED, separator = ', '): string {
	const more = texts.length - max;
	const named = texts.slice(0, max);
	return more > 0 ? [...named, `${more} more`].join(separator) : named.join(separator);
}

/**
 * What items have changed at the service, in words; empty when nothing was. Several are worked on at a time, so when one
 * fails, others are done or under way.
 * @param ownIndex of the item in whose error the text stands: its consequences are in it already
 */
export function describeChanges(changes: readonly Changes[], ownIndex?: number): string {
	const done = changes
		.filter((one) => one.done.length > 0)
		.map((one) => `item ${one.index} (${firstOf(one.done)})`);
	const unseen = changes.flatMap((one) => one.unseen);
	const open = changes.flatMap(({ index, open: sentences, consequences }) => {
		const untold = index === ownIndex ? sentences : [...sentences, ...consequences];
		return [...new Set(untold)].map((sentence) => `Item ${index}: ${sentence}`);
	});
	const texts: string[] = [];
	if (done.length > 0) texts.push(`Completed anyway: ${firstOf(done)}.`);
	if (unseen.length > 0) {
		texts.push(
			`Nobody has seen the new secrets of these webhooks, so rotate them again: ${firstOf(unseen, MAX_UNSEEN)}.`,
		);
	}
	if (open.length > 0) texts.push(firstOf(open, MAX_NAMED, ' '));
	return texts.join(' ');
}

/** The IDs that {@link describeChanges} has no room for, in texts for the log. */
export function unseenBeyond(changes: readonly Changes[]): string[] {
	const ids = changes.flatMap((one) => one.unseen).slice(MAX_UNSEEN);
	const texts: string[] = [];
	for (let from = 0; from < ids.length; from += MAX_UNSEEN) {
		texts.push(ids.slice(from, from + MAX_UNSEEN).join(', '));
	}
	return texts;
}
