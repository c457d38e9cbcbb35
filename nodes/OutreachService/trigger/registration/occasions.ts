/** What an activation, a start, a publication, a check, a removal or a test run allows. */
import { ITEM, RECURRING, USER, type Policy } from '../../api/policy';

/** Why the webhooks of a node are changed, and what that allows. */
export type Occasion = {
	/** How long its requests wait and how often they are sent. */
	policy: Policy;
	/** Whether the change fails as soon as a create is refused. Otherwise, it creates as many webhooks as it can. */
	isAllOrNothing: boolean;
	/**
	 * Whether webhooks may be removed before they are replaced, when the service refuses a create: `obstacleTo` says which.
	 */
	makesRoom: boolean;
	/** Whether the webhooks are those of a test run, at n8n's test URL. */
	isTestRun: boolean;
	/** Whether it is a check of an active node, which tells the user what it finds. */
	isCheck: boolean;
};

const USUAL = {
	isAllOrNothing: false,
	makesRoom: false,
	isTestRun: false,
	isCheck: false,
} as const;

/** A person activates a workflow that was not active. */
export const ACTIVATION: Occasion = {
	...USUAL,
	policy: USER,
	isAllOrNothing: true,
	makesRoom: true,
};

/** A person begins a test run. */
export const TEST_RUN: Occasion = {
	...USUAL,
	policy: USER,
	isAllOrNothing: true,
	makesRoom: true,
	isTestRun: true,
};

/** A change of an active workflow is published (D79). */
export const PUBLICATION: Occasion = { ...USUAL, policy: USER, makesRoom: true };

/** n8n starts, or another main process takes the lead. The check a minute later makes room, if that is needed (D65). */
export const START: Occasion = { ...USUAL, policy: RECURRING };

/** The check of an active node. */
export const CHECK: Occasion = {
	...USUAL,
	policy: RECURRING,
	makesRoom: true,
	isCheck: true,
};

/** A test run is over. A person may wait for the next test run, which begins when this removal has ended. */
export const TEST_END: Occasion = {
	...USUAL,
	policy: USER,
	isTestRun: true,
};

/** The webhooks of a node that is no longer active are removed. */
export const REMOVAL: Occasion = { ...USUAL, policy: ITEM };
