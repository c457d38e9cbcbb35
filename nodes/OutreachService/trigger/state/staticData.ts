import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'crypto';
import { z } from 'zod';

import { registeredWebhookSchema, type RegisteredWebhook } from '../../model/registration';

const memorySchema = z.object({ owner: z.string(), hooks: z.array(registeredWebhookSchema) });

type Owned = {
	getInstanceId(): string;
	getWorkflow(): { id?: string | undefined };
	getNode(): { id: string };
};

/**
 * Whose memory it is. Static data travels with a copied workflow: without this, a copy in another n8n (or under
 * another ID) would take the original's webhooks for its own and remove them.
 */
function ownerOf(ctx: Owned): string {
	return createHash('sha256')
		.update([ctx.getInstanceId(), ctx.getWorkflow().id ?? '', ctx.getNode().id].join('\n'))
		.digest('hex')
		.slice(0, 16);
}

/** The webhooks that this node registered, from its static data; none when the data is a copy's, or broken. */
export function recall(ctx: Owned, staticData: IDataObject): RegisteredWebhook[] {
	const parsed = memorySchema.safeParse(staticData.registration);
	return parsed.success && parsed.data.owner === ownerOf(ctx) ? parsed.data.hooks : [];
}

/** Writes the webhooks of this node into its static data, which n8n saves after (de)registration. */
export function remember(ctx: Owned, staticData: IDataObject, hooks: RegisteredWebhook[]): void {
	if (hooks.length === 0) delete staticData.registration;
	else staticData.registration = { owner: ownerOf(ctx), hooks };
}

/** The digests of the secrets that verify deliveries of this event. No credential is read. */
export function rememberedDigests(ctx: Owned, staticData: IDataObject, event: string): string[] {
	return recall(ctx, staticData)
		.filter((hook) => hook.event === event)
		.map(({ digest }) => digest);
}
