import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'crypto';
import { z } from 'zod';

import { registeredWebhookSchema, type RegisteredWebhook } from '../../model/registration';

/** What is stored in the static data of a trigger node. Its keys are in users' databases: they cannot be renamed. */
const registrationSchema = z.object({
	owner: z.string(),
	hooks: z.array(registeredWebhookSchema),
});

type Owner = {
	getInstanceId(): string;
	getWorkflow(): { id?: string | undefined };
	getNode(): { id: string };
};

/**
 * Identifies the node that wrote the static data. It comes with copied, imported and restored workflows: without this, a
 * copy would take the original's webhooks for its own and remove them, and accept their secrets.
 */
const ownerOf = (ctx: Owner): string =>
	createHash('sha256')
		.update([ctx.getInstanceId(), ctx.getWorkflow().id ?? '', ctx.getNode().id].join('\n'))
		.digest('hex')
		.slice(0, 16);

/** The registered webhooks of a node, from its static data; none when the data is of another node, or broken. */
export function readRegistered(ctx: Owner, staticData: IDataObject): RegisteredWebhook[] {
	const parsed = registrationSchema.safeParse(staticData.registration);
	return parsed.success && parsed.data.owner === ownerOf(ctx) ? parsed.data.hooks : [];
}

/** Writes the registered webhooks of a node into its static data, which n8n saves after `create` and `delete`. */
export function writeRegistered(
	ctx: Owner,
	staticData: IDataObject,
	hooks: readonly RegisteredWebhook[],
): void {
	// Each change is a write to n8n's database, for every workflow at a start.
	if (JSON.stringify(hooks) === JSON.stringify(readRegistered(ctx, staticData))) return;
	if (hooks.length === 0) delete staticData.registration;
	else staticData.registration = { owner: ownerOf(ctx), hooks: [...hooks] };
}
