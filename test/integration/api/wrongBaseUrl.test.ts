/**
 * D6: a wrong base URL must not look like 'no webhooks', and a redirect must not pass the key to another server. Which
 * responses are foreign: `test/unit/api/response.test.ts`. The world is a local service, another at a wrong URL, and the
 * action node in one process of n8n.
 */
import { startService } from '../../../tools/service';
import { useWorld } from '../support/world';

const world = useWorld({ control: true });

const OPERATIONS = {
	GET: ['getAll', {}],
	DELETE: ['delete', { webhookId: 'hoo_1' }],
	POST: ['create', { targetUrl: 'https://x.test', event: '*' }],
} as const;
const METHODS = Object.keys(OPERATIONS) as Array<keyof typeof OPERATIONS>;
const failWith = async (method: keyof typeof OPERATIONS, options = {}) => {
	const [operation, parameters] = OPERATIONS[method];
	return await world.fail(operation, parameters, options);
};

it.each(METHODS)(
	'A redirect of a %s is not followed, so that no other host gets the key',
	async (method) => {
		const other = await startService({ apiKeys: [world.service.apiKey] });
		const location = `${other.baseUrl}/hooks`;
		const status = method === 'GET' ? 302 : 307;
		world.service.addFault({ kind: 'status', status, headers: { location }, times: 3 });
		const error = await failWith(method);
		expect(error.message).toMatch(/^127\.0\.0\.1:\d+ does not look like the service's API$/);
		expect(error.description).toMatch(/^It redirects to another URL \(status 30[27]\)\./);
		expect(other.requests).toEqual([]);
		await other.close();
	},
);

it.each(METHODS)('A web page and an unknown team fail a %s', async (method) => {
	world.service.addFault({ kind: 'gateway', who: 'maintenance', times: 9 });
	const foreign = await failWith(method);
	world.service.clearFaults();
	expect(foreign.message).toMatch(/does not look like the service's API$/);
	expect(foreign.httpCode).toBe('200');
	world.service.setSwitches({ badTeamStatus: 200 });
	world.service.addApiKey('lost', null);
	const { baseUrl } = world.service;
	const { message, description } = await failWith(method, {
		credential: { baseUrl, apiKey: 'lost' },
	});
	expect(message).toBe('The service did not accept the API key');
	expect(description).not.toContain('not known');
});
