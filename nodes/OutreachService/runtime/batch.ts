import type { INodeExecutionData } from 'n8n-workflow';

import { deferred, type Deferred } from '../utils/deferred';
import type { SenderResponse } from './responseOutcomes';

/** When a batch closes; whichever comes first. */
export type BatchLimits = { maxEvents: number; maxSeconds: number };

/** A delivery that may be held until its batch is handed over. */
export type HeldDelivery = {
	/** The item that it becomes. */
	item: INodeExecutionData;
	bytes: number;
	response: SenderResponse;
	/** Whether the outcome is remembered, so that a retry of a sender that disconnects is a duplicate. */
	isRemembered: boolean;
	/** Responds to the sender; undefined when it is not known whether n8n has taken the batch. */
	respond: (status: number | undefined) => void;
};

/** The members do not refer to the leader's response: it must be collected when n8n drops it. */
type Member = { item: INodeExecutionData; isDropped: () => boolean };

/** Deliveries of a node that start one run: the first of them leads, the others follow. */
export type Batch = {
	node: string;
	members: Member[];
	bytes: number;
	limits: BatchLimits;
	followers: HeldDelivery[];
	/** Resolved when the batch is handed over. */
	items: Deferred<INodeExecutionData[]>;
	/** Resolved when n8n has responded to it, or never will. */
	finished: Deferred<void>;
};

/** A batch with nobody in it but its leader. */
export const openBatch = (node: string, leader: Member, limits: BatchLimits): Batch => ({
	node,
	members: [leader],
	bytes: 0,
	limits,
	followers: [],
	items: deferred(),
	finished: deferred(),
});

/** A function of its own, so that no closure of the batch refers to the response. */
export function leaderOf(
	item: INodeExecutionData,
	isRemembered: boolean,
	response: SenderResponse,
): Member {
	let isSenderGone = false;
	response.once('close', () => {
		isSenderGone = true;
	});
	return { item, isDropped: () => !isRemembered && isSenderGone };
}
