/** The registration in static data is read by the node that wrote it, and by no other. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	readRegistration,
	writeRegistration,
	type StoredRegistration,
} from '../../../nodes/OutreachService/trigger/staticData';
import { digestOf } from '../../../nodes/OutreachService/domain/secret';
import type { RegisteredWebhook } from '../../../nodes/OutreachService/domain/registration';
import { anyUrl } from '../../anyText';

/** Of few values, so that two owners often differ in one of them alone. */
const ownId = fc.constantFrom('', 'a', 'b');
const owner = fc
	.record({ instance: ownId, workflow: fc.option(ownId, { nil: undefined }), node: ownId })
	.map((ids) => ({
		ids,
		getInstanceId: () => ids.instance,
		getWorkflow: () => ({ id: ids.workflow }),
		getNode: () => ({ id: ids.node }),
	}));
const registeredWebhooks: fc.Arbitrary<RegisteredWebhook[]> = fc.array(
	fc.record({
		id: fc.string({ minLength: 1 }),
		event: fc.constantFrom('*', 'warmed', 'smsSent'),
		targetUrl: anyUrl,
		digest: fc.string().map((secret) => digestOf(secret)),
		serviceId: fc.string(),
		evidence: fc.constantFrom('stored', 'leaving', 'hidden'),
	}),
	{ minLength: 1 },
);
const registration: fc.Arbitrary<StoredRegistration> = fc.record({
	webhooks: registeredWebhooks,
	lost: fc.array(fc.constantFrom('warmed', 'smsSent')),
});
/** Identifies a node; a workflow that is not saved yet has no ID. */
const keyOf = ({
	ids,
}: {
	ids: { instance: string; workflow: string | undefined; node: string };
}) => JSON.stringify([ids.instance, ids.workflow ?? '', ids.node]);
/** The data after n8n has saved and loaded it. */
const saved = (data: IDataObject): IDataObject => JSON.parse(JSON.stringify(data)) as IDataObject;

describe('The registration in static data', () => {
	it('is read by the node that wrote it, and by no other', () => {
		fc.assert(
			fc.property(owner, owner, registration, (one, other, registered) => {
				const staticData: IDataObject = { others: 1 };
				writeRegistration(one, staticData, registered);
				const loaded = saved(staticData);
				expect(readRegistration(one, loaded)).toEqual(registered);
				const isSame = keyOf(one) === keyOf(other);
				if (!isSame) expect(readRegistration(other, loaded).webhooks).toEqual([]);
			}),
		);
	});
});
