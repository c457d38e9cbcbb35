import {
	ownWebhooks,
	planRegistration,
} from '../../../nodes/OutreachService/trigger/reconcile/plan';
import { targetUrlFor } from '../../../nodes/OutreachService/trigger/reconcile/desired';

const base = 'https://n8n.test/webhook/1/webhook';
const at = (event: string) => ({ event, targetUrl: targetUrlFor(base, event) });
const listed = [
	{ _id: 'hoo_known', targetUrl: targetUrlFor(base, 'warmed') },
	{ _id: 'hoo_moved', targetUrl: 'https://elsewhere.test' },
	{ _id: 'hoo_custom', targetUrl: targetUrlFor(base, 'brandNew') },
	{ _id: 'hoo_foreign', targetUrl: 'https://crm.test/in' },
];
const idsOf = (hooks: Array<{ _id: string }>) => hooks.map(({ _id }) => _id);

it.each<[string, string[], Partial<Parameters<typeof ownWebhooks>[0]>]>([
	['at an address of the interface', ['hoo_known'], {}],
	[
		'that are registered, wherever they are now',
		['hoo_known', 'hoo_moved'],
		{ registered: [{ ...at('x'), id: 'hoo_moved', digest: 'd' }] },
	],
	[
		'of a type of our own that is desired',
		['hoo_known', 'hoo_custom'],
		{ desired: [at('brandNew')] },
	],
])('Webhooks %s are ours', (_name, expected, given) => {
	expect(idsOf(ownWebhooks({ base, listed, registered: [], ...given }))).toEqual(expected);
});

it('A webhook whose address was changed at the service is replaced: its secret was made for another one', () => {
	const desired = at('warmed');
	const { keep, create, remove } = planRegistration({
		base,
		desired: [desired],
		listed: [{ _id: 'hoo_1', targetUrl: desired.targetUrl, type: 'warmed' }],
		registered: [{ ...at('hooked'), event: 'warmed', id: 'hoo_1', digest: 'd' }],
	});
	expect([keep, create, idsOf(remove)]).toEqual([[], [desired], ['hoo_1']]);
});
