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
 * Identifies the node that wrote the static data. It is copied with a workflow: without this, a copy in another n8n (or
 * under another ID) would take the original's webhooks for its own and remove them.
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

/** Notes that the static data, which n8n will not save, is that of a test run whose webhooks have a URL. */
export function markTestRun(staticData: IDataObject, base: string): void {
	staticData.testRun = base;
}

/** Whether the webhooks at a URL are those of the test run that wrote the static data. */
export const isTestRunAt = ({ testRun }: IDataObject, base: string): boolean => testRun === base;

const sampleSecretsSchema = z.array(z.object({ event: z.string(), digest: z.string() }));

/** The SHA-256 of a secret, for an event. */
type SampleSecrets = z.infer<typeof sampleSecretsSchema>;

/** Notes that a test run has a sample and no webhooks. n8n does not save the static data of a test run. */
export function markSampleRun(staticData: IDataObject, secrets: SampleSecrets = []): void {
	staticData.sampleRun = secrets;
}

/** The secret of the sample of a test run; undefined when it has none. */
export function readSampleRun(staticData: IDataObject): SampleSecrets | undefined {
	const parsed = sampleSecretsSchema.safeParse(staticData.sampleRun);
	return parsed.success ? parsed.data : undefined;
}

/** Writes the registered webhooks of a node into its static data, which n8n saves after (de)registration. */
export function writeRegistered(
	ctx: Owner,
	staticData: IDataObject,
	webhooks: RegisteredWebhook[],
): void {
	if (webhooks.length === 0) delete staticData.registration;
	else staticData.registration = { owner: ownerOf(ctx), hooks: webhooks };
}
