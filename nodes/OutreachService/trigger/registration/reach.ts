import type { INode, Logger } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Client } from '../../api/client';
import type { RegisteredWebhook } from '../../model/registration';
import { reachOf, type Reach } from '../../model/reach';

/**
 * From where n8n's webhook URLs can be reached, for a service that is elsewhere (D33).
 * @returns `anywhere` also for a service in the same network, which may reach every address there
 */
export async function reachFor(client: Client, base: string): Promise<Reach> {
	const isElsewhere = reachOf(await client.baseUrl()) === 'anywhere';
	return isElsewhere ? (reachOf(base) ?? 'anywhere') : 'anywhere';
}

/** Whether the webhooks are all at another URL, which the service can reach. */
const areElsewhere = (base: string, webhooks: readonly RegisteredWebhook[]): boolean =>
	webhooks.some(({ targetUrl }) => reachOf(targetUrl) === 'anywhere') &&
	!webhooks.some(({ targetUrl }) => targetUrl.startsWith(`${base}?`));

/**
 * Refuses to register webhooks at a URL that the service cannot reach, as far as that tells: the workflow would be active
 * and never start. A private network is only worth a warning to whoever activates the workflow, because the service may
 * be in it under a name that does not tell; unless what is registered is elsewhere, and works.
 * @param given.isActivation by a user, who replaces what is registered anyway
 * @throws NodeOperationError
 */
export function checkReach(
	ctx: { getNode(): INode; getWorkflow(): { id?: string | undefined }; logger: Logger },
	reach: Reach,
	given: { base: string; known: readonly RegisteredWebhook[]; isActivation: boolean },
): void {
	if (reach === 'anywhere') return;
	const { base, known, isActivation } = given;
	const { origin } = new URL(base);
	if (reach === 'machine' || (!isActivation && areElsewhere(base, known))) {
		throw new NodeOperationError(
			ctx.getNode(),
			// n8n shows the message alone when an activation fails, so what to do must be in it.
			`The service cannot reach this n8n at ${origin}: set WEBHOOK_URL to its public URL`,
			{
				description:
					"n8n's webhook URLs begin with this URL, which works only on the machine that runs n8n, or in its network. Set the environment variable WEBHOOK_URL to the URL at which n8n can be reached from the internet, such as https://n8n.example.com/, and restart n8n. On your own computer, use a tunnel. Test runs have the URL of the editor where N8N_EDITOR_BASE_URL is set: then set N8N_WEBHOOK_URL as well, which applies to both.",
			},
		);
	}
	if (!isActivation) return;
	ctx.logger.warn(
		`The service may be unable to reach this n8n at ${origin}, which is an address in a private network. If no events arrive at "${ctx.getNode().name}", set WEBHOOK_URL to n8n's public URL.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}
