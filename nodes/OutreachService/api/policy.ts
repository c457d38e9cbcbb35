/** Whom a request is for, and what follows from that: its place in the queue, its attempts and its time. */

/**
 * Who waits for a request: a user, who is in front of the editor; nobody, because the request recurs: that of a check or of a
 * start of n8n; or an item of an execution. Only items can be so many that they would leave no slot to those behind them.
 */
export const MOST_URGENT_FIRST = ['user', 'recurring', 'item'] as const;

/** Whom a request is for: that decides how urgent it is, how often it is tried, and how long. */
export type Policy = {
	name: (typeof MOST_URGENT_FIRST)[number];
	/** The maximum number of attempts. Those whose response asks for a wait do not count. */
	attempts: number;
	/** No attempt begins later than this after the call, in milliseconds, plus the time in the queue if that is not counted. */
	budgetMs: number;
	/** Whether the budget covers the time in the queue. If not, a request waits there as long as it takes. */
	isQueueCounted: boolean;
	/**
	 * How long one response may take, in milliseconds. That to a create of a trigger may take longer, but its change waits for
	 * only so long.
	 */
	timeoutMs: number;
};

/** For an item of an execution, and for a deactivation: both would rather wait than fail. */
export const ITEM: Policy = {
	name: 'item',
	attempts: 4,
	budgetMs: 120_000,
	isQueueCounted: false,
	timeoutMs: 30_000,
};

/**
 * For a user who waits: a test run or its end; an activation or a publication, which n8n 2 tries five times and gives up
 * after 84 s, with an error of its own; the test of a credential; or a list in the editor, for which a proxy in front of n8n
 * does not wait long either.
 */
export const USER: Policy = {
	name: 'user',
	attempts: 3,
	budgetMs: 12_000,
	isQueueCounted: true,
	timeoutMs: 12_000,
};

/** For a check, and for a start of n8n: it gives up early, because another check follows a minute later. */
export const RECURRING: Policy = {
	name: 'recurring',
	attempts: 2,
	budgetMs: 20_000,
	isQueueCounted: true,
	timeoutMs: 10_000,
};

/** Whether a person waits for a request: then it may use the slots that all others leave free, and waits shorter (D107). */
export const isPersonWaiting = ({ name }: Policy): boolean => name === 'user';
