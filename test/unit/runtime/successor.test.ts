import type { ActiveNode } from '../../../nodes/OutreachService/runtime/activeNodes';
import { expectSuccessor, NO_LISTENER } from '../../../nodes/OutreachService/runtime/successor';
import { activeNode, registered } from './activeNode';

const OLD = registered('hoo_old', { campaignId: 'cam_1', isFirst: true });
const OTHER = registered('hoo_other', { event: 'warmed' });
const NEW = { ...OLD, id: '', digest: 'new' };

let node: ActiveNode;
beforeEach(() => {
	node = activeNode([OLD, OTHER]);
});

const asWebhook = ({ id, targetUrl }: typeof OLD) => ({ _id: id, targetUrl });

describe('While a webhook of an active trigger is rotated', () => {
	it('the trigger accepts both secrets before the service has responded to the create', () => {
		expectSuccessor(node, asWebhook(OLD), 'new');
		expect(node.webhooks).toEqual([OLD, OTHER, NEW]);
	});

	it('the successor takes the place of the old webhook, and is not saved yet', () => {
		node.unsaved = new Set(['hoo_repaired']);
		const successor = expectSuccessor(node, asWebhook(OLD), 'new');
		successor.created('hoo_new');
		const created = { ...NEW, id: 'hoo_new', secretSetByUser: true };
		expect(node.webhooks).toEqual([OLD, OTHER, created]);
		successor.replaced();
		expect(node.webhooks).toEqual([OTHER, created]);
		expect([...node.unsaved]).toEqual(['hoo_repaired', 'hoo_new']);
	});

	it.each([
		['before it was created', false],
		['after it was created', true],
	])(
		'the trigger accepts only the old secret again when the successor is dropped %s',
		(_, wasCreated) => {
			const successor = expectSuccessor(node, asWebhook(OLD), 'new');
			if (wasCreated) successor.created('hoo_new');
			successor.dropped();
			expect(node.webhooks).toEqual([OLD, OTHER]);
		},
	);

	it('the successor has only the settings that the old webhook had', () => {
		expectSuccessor(node, asWebhook(OTHER), 'new');
		expect(node.webhooks[2]).toStrictEqual({ ...OTHER, id: '', digest: 'new' });
	});

	it('a webhook that the trigger did not register itself is known by its URL, however it is written', () => {
		const twin = { _id: 'hoo_twin', targetUrl: OTHER.targetUrl.replace('http:', 'HTTP:') };
		expectSuccessor(node, twin, 'new');
		expect(node.webhooks[2]).toMatchObject({ event: 'warmed', targetUrl: OTHER.targetUrl });
	});

	it('a webhook that the trigger does not use changes nothing', () => {
		const foreign = { _id: 'hoo_foreign', targetUrl: 'https://crm.test/in' };
		expect(expectSuccessor(node, foreign, 'new')).toBe(NO_LISTENER);
		expect(node.webhooks).toEqual([OLD, OTHER]);
	});
});
