/** The local service has exactly the documented routes (§4), and its page can make each of them fail. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import Fastify from 'fastify';
import { z } from 'zod';
import { addApiRoutes, BASE_PATH } from '../../../tools/service/api';
import { callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';

const read = (path: string) => readFileSync(resolve(__dirname, '../../..', path), 'utf8');

/** The method and path of each route. */
const ROUTES = z
	.array(z.tuple([z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']), z.string()]))
	.nonempty()
	.parse(
		[...read('docs/api.md').matchAll(/^`([A-Z]+) (\/[^`]+)`/gm)].map((found) => found.slice(1)),
	);

/** What a person can choose as the requests that a fault applies to; without a method, it is every method. */
const CHOICES = [
	...read('tools/service/page/page.js').matchAll(
		/match: \{ (?:method: '([A-Z]+)', )?path: '([^']+)' \}/g,
	),
].map(([, method, path]) => ({ method, path }));

it.each(ROUTES)('%s %s is a route, and requires an API key', async (method, path) => {
	const running = await service();
	const concrete = path.replace(/\{\w+\}/g, 'some-id');
	expect(await callApi(running, method, concrete)).not.toMatchObject({ text: 'No such route' });
	expect(await callApi(running, method, concrete, { key: 'wrong' })).toMatchObject({ status: 401 });
});

it('no other route is added', () => {
	const app = Fastify({ exposeHeadRoutes: false });
	const routes: string[] = [];
	app.addHook('onRoute', ({ method, url }) => {
		const path = url.slice(BASE_PATH.length).replace(/:\w+/g, '*');
		routes.push(`${String(method)} ${path}`);
	});
	addApiRoutes(app);
	const documented = ROUTES.map(([method, path]) => `${method} ${path.replace(/\{\w+\}/g, '*')}`);
	expect(routes.sort()).toEqual(documented.sort());
});

it.each(ROUTES)(
	'%s %s can be chosen on the page as the request that fails, and then fails',
	async (method, path) => {
		const running = await service();
		const chosen = CHOICES.filter(
			(one) =>
				one.path === path.replace(/\{\w+\}/g, '*') &&
				(one.method === undefined || one.method === method),
		);
		expect(chosen).toHaveLength(1);
		for (const match of chosen) running.addFault({ kind: 'status', status: 418, match });
		const concrete = path.replace(/\{\w+\}/g, 'some-id');
		expect(await callApi(running, method, concrete)).toMatchObject({ status: 418 });
	},
);
