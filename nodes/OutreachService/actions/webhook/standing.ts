import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Hook, HookSettings } from '../../model/schemas';
import type { Successor } from '../../runtime/successor';
import { CancelledError } from '../../api/cancellation';
import { settle } from '../../utils/settle';
import { listWebhooks } from '../../api/webhooks';

/** One rotation: what is replaced, by what, and the IDs of all webhooks that there were before. */
export type Rotation = {
	ctx: IExecuteFunctions;
	old: Hook;
	settings: HookSettings;
	known: ReadonlySet<string>;
	itemIndex: number;
	/** The trigger that uses the webhook. */
	told: Successor;
};

/** Whether the service still lists a webhook; undefined when it cannot be asked. */
export async function isListed(
	{ ctx, itemIndex }: Rotation,
	id: string,
): Promise<boolean | undefined> {
	const list = await settle(listWebhooks(ctx, { itemIndex, cancellable: 'never' }));
	return list.ok ? list.value.some(({ _id }) => _id === id) : undefined;
}

/** The same error, which first says what stands at the service now: that matters more than why it failed. */
export function withStanding(error: Error, standing: string): Error {
	if (error instanceof NodeApiError || error instanceof CancelledError) {
		error.description = `${standing} ${error.description ?? ''}`.trim();
	}
	return error;
}
