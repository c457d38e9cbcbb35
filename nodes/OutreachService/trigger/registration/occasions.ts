import { CHECK as CHECK_POLICY, ITEM, USER, type Policy } from '../../api/retry';

/** When the webhooks of a node are changed, and what that allows. */
export type Occasion = {
	/** How long its requests wait and how often they are sent. */
	policy: Policy;
	/** Whether a person gets all that is desired or an error. Otherwise what can be done is done. */
	isAllOrNothing: boolean;
	/**
	 * Which webhooks may go before their successors exist, when the service refuses a create: none; those that serve no
	 * event that is missing; or all of the node's.
	 */
	makesRoom: 'never' | 'unneeded' | 'always';
};

/** A person activates a workflow that was not active. */
export const ACTIVATION: Occasion = { policy: USER, isAllOrNothing: true, makesRoom: 'always' };

/** A person begins a test run. */
export const TEST_RUN: Occasion = { policy: USER, isAllOrNothing: true, makesRoom: 'always' };

/** A change of an active workflow is published (D79). */
export const PUBLICATION: Occasion = {
	policy: USER,
	isAllOrNothing: false,
	makesRoom: 'unneeded',
};

/** n8n starts, or another main process takes the lead: the check a minute later makes room (D65). */
export const START: Occasion = { policy: CHECK_POLICY, isAllOrNothing: false, makesRoom: 'never' };

/** The check of an active node. */
export const CHECK: Occasion = {
	policy: CHECK_POLICY,
	isAllOrNothing: false,
	makesRoom: 'unneeded',
};

/** A test run is over. The next one, for which a person waits, begins when this has ended. */
export const TEST_END: Occasion = { policy: USER, isAllOrNothing: false, makesRoom: 'never' };

/** The webhooks of a node that is no longer active are removed. */
export const REMOVAL: Occasion = { policy: ITEM, isAllOrNothing: false, makesRoom: 'never' };
