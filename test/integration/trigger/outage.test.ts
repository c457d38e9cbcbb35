/**
 * Deliveries while n8n cannot read the credential: none is lost, and none is accepted unverified. The world is a local
 * service and one trigger in one process of n8n.
 */
import { deriveSecret } from '../../../tools/load/deriveSecret';
import { textLike } from '../support/matchers';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { useWorld } from '../support/world';

const world = useWorld();

/** A workflow whose deliveries only the credential can verify, while n8n's database fails. */
async function outage(): Promise<TriggerHost> {
	const host = await world.activeTrigger(['emailsReplied']);
	host.moveToNewProcess();
	host.failCredentialReads(new Error('The database is away'));
	return host;
}

const send = async (secret: string): Promise<Response> =>
	await post(world.webhooks[0]!.targetUrl, { type: 'emailsReplied', secret });

/** The secret of the webhook, as the service sends it. */
const secret = (): string => deriveSecret(world.service.apiKey, world.webhooks[0]!.targetUrl);

describe('While the credential cannot be read, a delivery', () => {
	it('is not rejected: the sender is asked to retry, and the log says so once', async () => {
		const host = await outage();
		const warn = world.spyOnWarnings();
		for (let copies = 0; copies < 2; copies++) {
			const response = await send(secret());
			expect(response.status).toBe(503);
			expect(response.headers.get('retry-after')).toBe('1');
			expect(await response.text()).toBe('');
		}
		expect(host.started).toEqual([]);
		expect(warn.mock.calls.map(([text]) => text)).toEqual([
			textLike(/^A delivery to "Trigger" could not be verified: The database is away/),
		]);
	});

	it('without a secret is rejected, and causes no database read', async () => {
		const host = await outage();
		const before = host.credentialReads;
		const { targetUrl } = world.webhooks[0]!;
		expect((await post(targetUrl, { type: 'emailsReplied' })).status).toBe(401);
		expect(host.credentialReads).toBe(before);
	});
});
