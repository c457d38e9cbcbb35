import { z } from 'zod';
import { itemsOf, type Execution } from '../host';
import type { Run } from './judge';

/** The events that a node has put out in an execution that succeeded. */
export const runsAt = (node: string, execution: Execution): Run[] =>
	execution.status === 'success'
		? itemsOf(execution, node).flatMap((item) => {
				const event = activityIdOf(item);
				const { id, createdAt } = execution;
				return event === undefined ? [] : [{ event, execution: id, at: createdAt }];
			})
		: [];

/** The ID of the activity in an item; n8n's Webhook node puts it under `body`. */
export function activityIdOf(json: unknown): string | undefined {
	const { body, _id } = itemSchema.parse(json);
	return body?._id ?? _id;
}

const withId = z.object({ _id: z.string() }).optional().catch(undefined);
const itemSchema = z.object({ _id: z.string().optional(), body: withId }).catch({});
