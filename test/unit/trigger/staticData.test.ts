import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	readRegistered,
	writeRegistered,
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
const webhooks: fc.Arbitrary<RegisteredWebhook[]> = fc.array(
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
/** As n8n's database returns it. */
const saved = (data: IDataObject): IDataObject => JSON.parse(JSON.stringify(data)) as IDataObject;

describe('The registered webhooks in static data', () => {
	it('are read as they were written, and only by the node that wrote them', () => {
		fc.assert(
			fc.property(owner, owner, webhooks, (one, other, registered) => {
				const staticData: IDataObject = { others: 1 };
				writeRegistered(one, staticData, registered);
				const loaded = saved(staticData);
				expect(readRegistered(one, loaded)).toEqual(registered);
				const isSame = nameOf(one) === nameOf(other);
				if (!isSame) expect(readRegistered(other, loaded)).toEqual([]);
			}),
		);
	});

	it('leave no trace once nothing is registered any more', () => {
		fc.assert(
			fc.property(owner, webhooks, (one, registered) => {
				const staticData: IDataObject = { others: 1 };
				writeRegistered(one, staticData, registered);
				writeRegistered(one, staticData, []);
				expect(staticData).toEqual({ others: 1 });
			}),
		);
	});

	it('are none when the static data is broken', () => {
		fc.assert(
			fc.property(owner, fc.jsonValue(), (one, broken) => {
				const staticData = { registration: broken } as IDataObject;
				expect(readRegistered(one, staticData)).toEqual([]);
			}),
		);
	});
});
