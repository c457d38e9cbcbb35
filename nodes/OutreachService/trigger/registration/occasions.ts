/** What an activation, a start, a publication, a check, a removal or a test run allows. */
import { CHECK as CHECK_POLICY, ITEM, USER, type Policy } from '../../api/retry';

/** Why the webhooks of a node are changed, and what that allows. */
export type Occasion = {
	/** How long its requests wait and how often they are sent. */
	policy: Policy;
	/** Whether the change fails as soon as a create is refused. Otherwise, it creates as many webhooks as it can. */
	isAllOrNothing: boolean;
	/**
	 * Which webhooks of the node may be removed before their successors exist, when the service refuses a create: none;
	 * those that serve no event whose webhook is missing; or all.
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

/** n8n starts, or another main process takes the lead. The check a minute later makes room, if that is needed (D65). */
export const START: Occasion = { policy: CHECK_POLICY, isAllOrNothing: false, makesRoom: 'never' };

/** The check of an active node. */
export const CHECK: Occasion = {
	policy: CHECK_POLICY,
	isAllOrNothing: false,
	makesRoom: 'unneeded',
};

/** A test run is over. A person may wait for the next test run, which begins when this removal has ended. */
export const TEST_END: Occasion = { policy: USER, isAllOrNothing: false, makesRoom: 'never' };

/** The webhooks of a node that is no longer active are removed. */
export const REMOVAL: Occasion = { policy: ITEM, isAllOrNothing: false, makesRoom: 'never' };
