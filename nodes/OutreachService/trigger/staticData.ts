/** What n8n saves of a registration, in the static data of the workflow. */
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'crypto';
import { z } from 'zod';

import type { RegisteredWebhook } from '../domain/registration';
import { digestSchema } from '../domain/secret';

/** What is stored in the static data of a trigger node. Users' databases contain its keys, so they can never be renamed. */
const registrationSchema = z.object({
	/** See `writerOf`. */
	owner: z.string(),
	hooks: z.array(
		z.object({
			id: z.string(),
			event: z.string(),
			targetUrl: z.string(),
			digest: digestSchema,
			service: z.string(),
			/** Every other evidence counts as `stored` once it has been saved. */
			evidence: z.enum(['leaving', 'hidden']).optional(),
		}),
	),
	lost: z.array(z.string()).optional(),
});

/** What n8n keeps of a node's registration across restarts. */
export type StoredRegistration = {
	webhooks: readonly RegisteredWebhook[];
	/** Lost events of which the user has not been told, in case the process ends before it can report them (D105). */
	lost: readonly string[];
};

type StoredWebhook = z.infer<typeof registrationSchema>['hooks'][number];

const loaded = ({ service, ...webhook }: StoredWebhook): RegisteredWebhook => ({
	...webhook,
	serviceId: service,
	evidence: webhook.evidence ?? 'stored',
});

function toStore({ serviceId, evidence, ...webhook }: RegisteredWebhook): StoredWebhook {
	const stored = { ...webhook, service: serviceId };
	return evidence === 'leaving' || evidence === 'hidden' ? { ...stored, evidence } : stored;
}

const NOTHING: StoredRegistration = { webhooks: [], lost: [] };

type Writer = {
	getInstanceId(): string;
	getWorkflow(): { id?: string | undefined };
	getNode(): { id: string };
};

/**
 * Identifies the node that wrote the static data. Copied, imported and restored workflows bring static data along: without
 * this, a copy would take the original's webhooks for its own and remove them, and accept their secrets.
 */
const writerOf = (ctx: Writer): string =>
	createHash('sha256')
		.update([ctx.getInstanceId(), ctx.getWorkflow().id ?? '', ctx.getNode().id].join('\n'))
		.digest('hex')
		.slice(0, 16);

/** Reads the registration of a node from its static data. It is empty if the data was written by another node or is broken. */
export function readRegistration(ctx: Writer, staticData: IDataObject): StoredRegistration {
	const parsed = registrationSchema.safeParse(staticData.registration).data;
	if (parsed?.owner !== writerOf(ctx)) return NOTHING;
	return { webhooks: parsed.hooks.map(loaded), lost: parsed.lost ?? [] };
}

/** Writes the registration of a node into its static data, which n8n saves after `create` and `delete`. */
export function writeRegistration(
	ctx: Writer,
	staticData: IDataObject,
	{ webhooks, lost }: StoredRegistration,
): void {
	const isEmpty = webhooks.length === 0 && lost.length === 0;
	const stored: IDataObject = { owner: writerOf(ctx), hooks: webhooks.map(toStore) };
	if (lost.length > 0) stored.lost = [...lost];
	const registration = registrationSchema.parse(stored);
	// Each assignment makes n8n write to its database, at a start for every workflow: so the same data is not assigned again.
	if (JSON.stringify(registration) === JSON.stringify(staticData.registration)) return;
	if (!isEmpty) staticData.registration = registration;
	// To n8n, even the removal of what is not there is a change.
	else if (staticData.registration !== undefined) delete staticData.registration;
}
