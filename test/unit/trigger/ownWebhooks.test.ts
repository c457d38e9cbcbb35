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
const idsOf = (webhooks: Array<{ _id: string }>) => webhooks.map(({ _id }) => _id);

it.each<[string, string[], Partial<Parameters<typeof ownWebhooks>[0]>]>([
	['at a target URL for a documented event', ['hoo_known'], {}],
	[
		'that are registered, whatever their target URL is now',
		['hoo_known', 'hoo_moved'],
		{ registered: [{ ...at('x'), id: 'hoo_moved', digest: 'd' }] },
	],
	['for a custom type that is desired', ['hoo_known', 'hoo_custom'], { desired: [at('brandNew')] }],
])('The node owns webhooks %s', (_name, expected, given) => {
	expect(idsOf(ownWebhooks({ base, listed, registered: [], ...given }))).toEqual(expected);
});

it('A webhook whose target URL was changed at the service is replaced, because its secret belongs to the old URL', () => {
	const desired = at('warmed');
	const { keep, create, remove } = planRegistration({
		base,
		desired: [desired],
		listed: [{ _id: 'hoo_1', targetUrl: desired.targetUrl, type: 'warmed' }],
		registered: [{ ...at('hooked'), event: 'warmed', id: 'hoo_1', digest: 'd' }],
	});
	expect([keep, create, idsOf(remove)]).toEqual([[], [desired], ['hoo_1']]);
});
