/** What an activation, a test run, a start, a publication or a check allows, and whether it reports what it has found. */
import { RECURRING, USER, type Policy } from '../../api/policy';

/** Why the webhooks of a node are changed, and what that allows. */
export type Occasion = {
	/** How long its requests wait and how often they are sent. */
	policy: Policy;
	/**
	 * What the change does when the service refuses a create, and other webhooks may be in the way:
	 *
	 * - `keepOthers`: it removes none of them, and creates as many other webhooks as it can.
	 * - `removeUnneeded`: it creates as many others as it can, removes those that `isUnneeded` says, and sends the create once more.
	 * - `removeOthers`: it removes all other webhooks of the node, and those that were left behind, and sends the create once more.
	 *   If that is refused, too, the change fails, and no other create is sent: a person sees it, and no active workflow relies on
	 *   the webhooks.
	 */
	onRefusal: 'keepOthers' | 'removeUnneeded' | 'removeOthers';
	/** Whether what it has found is reported. What a start or a publication has found, the next check reports. */
	tellsUser: boolean;
};

/** A person activates a workflow that was not active. */
export const ACTIVATION: Occasion = {
	policy: USER,
	onRefusal: 'removeOthers',
	tellsUser: false,
};

/** A person begins a test run. */
export const TEST_RUN: Occasion = {
	policy: USER,
	onRefusal: 'removeOthers',
	tellsUser: false,
};

/** A change of an active workflow is published (D79). */
export const PUBLICATION: Occasion = {
	policy: USER,
	onRefusal: 'removeUnneeded',
	tellsUser: false,
};

/** n8n starts, or this main process takes the lead. The check a minute later makes room, if that is needed (D7). */
export const START: Occasion = {
	policy: RECURRING,
	onRefusal: 'keepOthers',
	tellsUser: false,
};

/** The check of an active node. */
export const CHECK: Occasion = {
	policy: RECURRING,
	onRefusal: 'removeUnneeded',
	tellsUser: true,
};
