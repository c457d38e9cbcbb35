import type { INodeParameters } from 'n8n-workflow';

import { startService, type HookFields, type RunningService } from '../../../tools/service';
import { failAction, runAction, type RunOptions, type ShownError } from './action';

/** A webhook with what the interface does not show: it has to come through untouched. */
export const ODD_HOOK = {
	_id: 'hoo_1',
	targetUrl: 'https://crm.test/in',
	createdAt: '2026-01-01T00:00:00.000Z',
	somethingNew: { deep: [1, null] },
};

/** A service of its own for each test of a file, and the operations of the action node on it. */
export function withService() {
	let service: RunningService | undefined;
	const current = (): RunningService => {
		if (!service) throw new Error('The service is there only within a test');
		return service;
	};
	beforeEach(async () => {
		service = await startService();
	});
	afterEach(async () => {
		await service?.close();
	});
	const webhook = (operation: string, parameters: INodeParameters) => ({
		resource: 'webhook',
		operation,
		...parameters,
	});
	return {
		service: current,
		run: async (operation: string, parameters: INodeParameters = {}, options?: RunOptions) =>
			await runAction(current(), webhook(operation, parameters), options),
		fail: async (
			operation: string,
			parameters: INodeParameters = {},
			options?: RunOptions,
		): Promise<ShownError> => await failAction(current(), webhook(operation, parameters), options),
		addHook: (fields: Partial<HookFields> = {}) =>
			current().addHook({ targetUrl: 'https://crm.test/in', ...fields }),
		/** Has the service answer the next request of this method with a body of the test's own. */
		answerOnce: (method: string, body: object) =>
			current().addFault({
				kind: 'status',
				status: 200,
				body: JSON.stringify(body),
				contentType: 'application/json',
				match: { method },
			}),
		/** The requests since the start of the test, in short. */
		requests: () =>
			current().requests.map(({ method, path }) => `${method} ${path.replace(/hoo_.*/, ':id')}`),
	};
}

/** Jest's matchers, with a type that strict rules accept inside an object. */
export const like = (part: object): unknown => expect.objectContaining(part);
export const textLike = (pattern: RegExp): unknown => expect.stringMatching(pattern);

/** The resource locator's value, as the editor stores it. */
export const byId = (value: string, mode: 'id' | 'list' = 'id') => ({
	__rl: true as const,
	mode,
	value,
});
