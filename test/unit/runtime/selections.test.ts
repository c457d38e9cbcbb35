import type { INodeParameters } from 'n8n-workflow';

import type { Selection } from '../../../nodes/OutreachService/model/selection';
import { Selections } from '../../../nodes/OutreachService/runtime/selections';
import { read } from '../trigger/selections';

/** A node whose reads are counted. Each returns another selection, as an expression may. */
class Node {
	reads = 0;

	constructor(
		private readonly selections: Selections,
		private readonly key = 'node',
	) {}

	select(parameters: INodeParameters): Selection {
		return this.selections.get(this.key, parameters, () => read([`event${++this.reads}`], {}));
	}
}

const CONDITIONS = (leftValue: string, rightValue: string): INodeParameters => ({
	options: { onlyWhen: { conditions: [{ leftValue, rightValue }] } },
});

describe('The selection of a node', () => {
	it('is read once as long as its parameters stay the same', () => {
		const node = new Node(new Selections());
		const parameters = () => ({ events: ['emailsReplied'], options: { isFirst: true } });
		expect(node.select(parameters()).events).toEqual(['event1']);
		expect(node.select(parameters()).events).toEqual(['event1']);
		expect(node.reads).toBe(1);
	});

	it('is read again when a parameter has changed', () => {
		const node = new Node(new Selections());
		node.select({ events: ['emailsReplied'] });
		expect(node.select({ events: ['emailsSent'] }).events).toEqual(['event2']);
	});

	it('belongs to one node', () => {
		const selections = new Selections();
		new Node(selections, 'a').select({});
		const other = new Node(selections, 'b');
		other.select({});
		expect(other.reads).toBe(1);
	});

	it.each<[what: string, parameters: INodeParameters]>([
		['an option', { options: { campaignId: '={{ $vars.campaign }}' } }],
		['a list', { events: ['emailsReplied', '={{ $vars.event }}'] }],
		['a whole parameter', { events: '={{ $vars.events }}' }],
		['the value in a condition', CONDITIONS('sequenceStep', '={{ $vars.step }}')],
	])('is read for each delivery when %s is an expression', (_what, parameters) => {
		const node = new Node(new Selections());
		node.select(parameters);
		expect(node.select(parameters).events).toEqual(['event2']);
	});

	it('is read once when only the field in a condition is written as an expression, which is never evaluated', () => {
		const node = new Node(new Selections());
		const parameters = CONDITIONS('={{ $json.sequenceStep }}', '2 = 2');
		node.select(parameters);
		node.select(parameters);
		expect(node.reads).toBe(1);
	});

	it('is not remembered when it cannot be read', () => {
		const selections = new Selections();
		const fail = () =>
			selections.get('node', {}, () => {
				throw new Error('The value cannot be used');
			});
		expect(fail).toThrow('The value cannot be used');
		expect(fail).toThrow('The value cannot be used');
		expect(selections.size).toBe(0);
	});

	it('is forgotten with all others beyond 500 nodes', () => {
		const selections = new Selections();
		for (let count = 0; count < 500; count += 1) new Node(selections, String(count)).select({});
		expect(selections.size).toBe(500);
		new Node(selections, 'next').select({});
		expect(selections.size).toBe(1);
	});
});
