import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	recall,
	remember,
	rememberedDigests,
} from '../../../nodes/OutreachService/trigger/state/staticData';
import type { RegisteredWebhook } from '../../../nodes/OutreachService/model/registration';

const text = fc.string();
const owner = fc
	.record({ instance: text, workflow: fc.option(text, { nil: undefined }), node: text })
	.map((ids) => ({
		ids,
		getInstanceId: () => ids.instance,
		getWorkflow: () => ({ id: ids.workflow }),
		getNode: () => ({ id: ids.node }),
	}));
const hooks: fc.Arbitrary<RegisteredWebhook[]> = fc.array(
	fc.record(
		{
			id: text,
			event: fc.constantFrom('*', 'warmed', 'smsSent'),
			targetUrl: fc.webUrl(),
			digest: text,
			campaignId: text,
			isFirst: fc.boolean(),
		},
		{ requiredKeys: ['id', 'event', 'targetUrl', 'digest'] },
	),
);
/** A workflow that is not stored yet has no ID. */
const nameOf = ({
	ids,
}: {
	ids: { instance: string; workflow: string | undefined; node: string };
}) => JSON.stringify([ids.instance, ids.workflow ?? '', ids.node]);
/** As it comes back from n8n's database. */
const saved = (data: IDataObject): IDataObject => JSON.parse(JSON.stringify(data)) as IDataObject;

describe('What a node remembers', () => {
	it('comes back as it was, and only for this very node', () => {
		fc.assert(
			fc.property(owner, owner, hooks, (one, other, registered) => {
				const staticData: IDataObject = { others: 1 };
				remember(one, staticData, registered);
				const loaded = saved(staticData);
				expect(recall(one, loaded)).toEqual(registered);
				const isSame = nameOf(one) === nameOf(other);
				if (!isSame) expect(recall(other, loaded)).toEqual([]);
				for (const event of ['*', 'warmed', 'gone']) {
					const expected = registered.filter((hook) => hook.event === event);
					expect(rememberedDigests(one, loaded, event)).toEqual(
						expected.map(({ digest }) => digest),
					);
					if (!isSame) expect(rememberedDigests(other, loaded, event)).toEqual([]);
				}
			}),
		);
	});

	it('leaves no trace once nothing is registered any more', () => {
		fc.assert(
			fc.property(owner, hooks, (one, registered) => {
				const staticData: IDataObject = { others: 1 };
				remember(one, staticData, registered);
				remember(one, staticData, []);
				expect(staticData).toEqual({ others: 1 });
			}),
		);
	});

	it('is nothing when the static data is broken', () => {
		fc.assert(
			fc.property(owner, fc.jsonValue(), (one, broken) => {
				const staticData = { registration: broken } as IDataObject;
				expect(recall(one, staticData)).toEqual([]);
				expect(rememberedDigests(one, staticData, '*')).toEqual([]);
			}),
		);
	});
});
