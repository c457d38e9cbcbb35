/** What an activation, a start, a publication, a check, a removal or a test run allows. */
import { ITEM, RECURRING, USER, type Policy } from '../../api/policy';

/** Why the webhooks of a node are changed, and what that allows. */
export type Occasion = {
	/** How long its requests wait and how often they are sent. */
	policy: Policy;
	/**
	 * What the change does when the service refuses a create, and other webhooks may be in the way:
	 *
	 * - `keepAll`: it removes none of them, and creates as many webhooks as it can.
	 * - `removeUnneeded`: it also removes those that `obstacleTo` says, and sends the create once more.
	 * - `removeAll`: it removes all others of the node, and sends the create once more. If that is refused, too, the change fails,
	 *   and no other create is sent: a person sees it, and no active workflow relies on the webhooks.
	 */
	onRefusal: 'keepAll' | 'removeUnneeded' | 'removeAll';
	/** Whether the user is told what the change has found, and so also whether n8n has lost the route: only in a periodic check. */
	tellsUser: boolean;
	/** Whether no webhook is desired, whatever the parameters are: all webhooks of the node are removed. */
	desiresNothing: boolean;
	/** Whether the webhooks are those of a test run, which has its own beside those of the active node. */
	isOfTestRun: boolean;
};

const USUAL = {
	onRefusal: 'keepAll',
	tellsUser: false,
	desiresNothing: false,
	isOfTestRun: false,
} as const;

/** A person activates a workflow that was not active. */
export const ACTIVATION: Occasion = {
	...USUAL,
	policy: USER,
	onRefusal: 'removeAll',
};

/** A person begins a test run. */
export const TEST_RUN: Occasion = {
	...USUAL,
	policy: USER,
	onRefusal: 'removeAll',
	isOfTestRun: true,
};

/** A change of an active workflow is published (D79). */
export const PUBLICATION: Occasion = { ...USUAL, policy: USER, onRefusal: 'removeUnneeded' };

/** n8n starts, or this main process takes the lead. The check a minute later makes room, if that is needed (D65). */
export const START: Occasion = { ...USUAL, policy: RECURRING };

/** The check of an active node. */
export const CHECK: Occasion = {
	...USUAL,
	policy: RECURRING,
	onRefusal: 'removeUnneeded',
	tellsUser: true,
};

/** A test run is over. A person may wait for the next test run, which begins when this removal has ended. */
export const TEST_END: Occasion = {
	...USUAL,
	policy: USER,
	desiresNothing: true,
	isOfTestRun: true,
};

/** The webhooks of a node that is no longer active are removed. */
export const REMOVAL: Occasion = { ...USUAL, policy: ITEM, desiresNothing: true };
