import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Client } from '../../api/createClient';
import { reachOf, type Reach } from '../../model/reach';
import { settle } from '../../utils/settle';

/**
 * From where n8n's webhook URLs can be reached, for a service that is elsewhere (D33).
 * @returns `anywhere` also for a service in the same network, which may reach every address there, and when the
 *   credential cannot be read, which the first request reports
 */
export async function reachFor(client: Client, base: string): Promise<Reach> {
	const api = await settle(client.baseUrl());
	const isElsewhere = api.ok && reachOf(api.value) === 'anywhere';
	return isElsewhere ? (reachOf(base) ?? 'anywhere') : 'anywhere';
}

/**
 * Makes sure that the service can reach this n8n, as far as the URL tells: otherwise the workflow would be active and
 * never start.
 * @throws NodeOperationError when only n8n's own machine can reach it; a private network is only worth a warning
 */
export async function checkReach(ctx: IHookFunctions, client: Client, base: string): Promise<void> {
	const reach = await reachFor(client, base);
	if (reach === 'anywhere') return;
	const { origin } = new URL(base);
	if (reach === 'machine') {
		throw new NodeOperationError(
			ctx.getNode(),
			// n8n shows the message alone when an activation fails, so what to do must be in it.
			`The service cannot reach this n8n at ${origin}: set WEBHOOK_URL to its public URL`,
			{
				description:
					"n8n's webhook URLs begin with this URL, which works only on the machine that runs n8n. Set the environment variable WEBHOOK_URL to the URL at which n8n can be reached from the internet, such as https://n8n.example.com/, and restart n8n. On your own computer, use a tunnel. Test runs have the URL of the editor where N8N_EDITOR_BASE_URL is set: then set N8N_WEBHOOK_URL as well, which applies to both.",
			},
		);
	}
	ctx.logger.warn(
		`The service may be unable to reach this n8n at ${origin}, which is an address in a private network. If no events arrive at "${ctx.getNode().name}", set WEBHOOK_URL to n8n's public URL.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}
