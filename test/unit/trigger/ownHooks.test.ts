import { ownHooks, planRegistration } from '../../../nodes/OutreachService/trigger/reconcile/plan';
import { hookUrl } from '../../../nodes/OutreachService/trigger/reconcile/desired';

const base = 'https://n8n.test/webhook/1/webhook';
const at = (event: string) => ({ event, targetUrl: hookUrl(base, event) });
const listed = [
	{ _id: 'hoo_known', targetUrl: hookUrl(base, 'warmed') },
	{ _id: 'hoo_moved', targetUrl: 'https://elsewhere.test' },
	{ _id: 'hoo_custom', targetUrl: hookUrl(base, 'brandNew') },
	{ _id: 'hoo_foreign', targetUrl: 'https://crm.test/in' },
];
const idsOf = (hooks: Array<{ _id: string }>) => hooks.map(({ _id }) => _id);

it.each<[string, string[], Partial<Parameters<typeof ownHooks>[0]>]>([
	['at an address of the interface', ['hoo_known'], {}],
	[
		'that are remembered, wherever they are now',
		['hoo_known', 'hoo_moved'],
		{ remembered: [{ ...at('x'), id: 'hoo_moved', digest: 'd' }] },
	],
	[
		'of a type of our own that is wanted',
		['hoo_known', 'hoo_custom'],
		{ wanted: [at('brandNew')] },
	],
])('Webhooks %s are ours', (_name, expected, given) => {
	expect(idsOf(ownHooks({ base, listed, remembered: [], ...given }))).toEqual(expected);
});

it('A webhook whose address was changed at the service is replaced: its secret was made for another one', () => {
	const wanted = at('warmed');
	const { keep, create, remove } = planRegistration({
		base,
		wanted: [wanted],
		listed: [{ _id: 'hoo_1', targetUrl: wanted.targetUrl, type: 'warmed' }],
		remembered: [{ ...at('hooked'), event: 'warmed', id: 'hoo_1', digest: 'd' }],
	});
	expect([keep, create, idsOf(remove)]).toEqual([[], [wanted], ['hoo_1']]);
});
