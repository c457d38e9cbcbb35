/**
 * Deliveries while n8n cannot read the credential: none is lost, and none is accepted unverified. The world is a local
 * service and one trigger in one process of n8n.
 */
import { deriveSecret } from '../../../tools/load/deriveSecret';
import { useStoppedClock } from '../../clock';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

useStoppedClock();
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
	it('is not rejected: the sender is asked to retry', async () => {
		const host = await outage();
		const response = await send(secret());
		expect(response.status).toBe(503);
		expect(response.headers.get('retry-after')).toBe('1');
		expect(await response.text()).toBe('');
		expect(host.started).toEqual([]);
	});

	it('is verified once the database is back', async () => {
		const host = await outage();
		await send(secret());
		host.failCredentialReads(undefined);
		const sent = send(secret());
		await jest.advanceTimersByTimeAsync(1_000);
		expect((await sent).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	it('causes one database read a second and one warning, however many forged ones arrive', async () => {
		const host = await outage();
		const warn = world.spyOnWarnings();
		const before = host.credentialReads;
		for (let round = 1; round <= 3; round += 1) {
			const sent = Array.from({ length: 20 }, async () => (await send('f'.repeat(64))).status);
			await until(() => host.bodies.length === round * 20);
			await jest.advanceTimersByTimeAsync(1_000);
			expect(new Set(await Promise.all(sent))).toEqual(new Set([503]));
			expect(host.credentialReads - before).toBeLessThanOrEqual(round + 1);
		}
		expect(warn.mock.calls.map(([text]) => text)).toEqual([
			expect.stringContaining(
				'A delivery to "Trigger" could not be verified: The database is away',
			),
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
