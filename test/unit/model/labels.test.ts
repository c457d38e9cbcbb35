import fc from 'fast-check';
import type { INodeProperties } from 'n8n-workflow';

import { actionProperties } from '../../../nodes/OutreachService/actions';
import { labelsOf } from '../../../nodes/OutreachService/model/labels';
import { triggerProperties } from '../../../nodes/OutreachService/trigger/description/properties';
import { EVERY_PROPERTY } from '../texts/everyProperty';

const text = (name: string, displayName: string): INodeProperties => ({
	name,
	displayName,
	type: 'string',
	default: '',
});

const collection = (name: string, options: INodeProperties[]): INodeProperties => ({
	name,
	displayName: 'Collection',
	type: 'collection',
	default: {},
	options,
});

const fixedCollection = (name: string, values: INodeProperties[]): INodeProperties => ({
	name,
	displayName: 'Fixed Collection',
	type: 'fixedCollection',
	default: {},
	options: [{ name: 'group', displayName: 'Group', values }],
});

/** Puts a field into collections, the first one outermost. */
const nested = (field: INodeProperties, collections: Array<typeof collection>): INodeProperties =>
	collections.reduceRight((inner, wrap, level) => wrap(`level${level}`, [inner]), field);

describe('The labels of parameters', () => {
	it('include fields in collections and fixed collections, however deeply nested', () => {
		const collections = fc.array(fc.constantFrom(collection, fixedCollection), { maxLength: 5 });
		fc.assert(
			fc.property(fc.string(), collections, (label, wraps) => {
				const labels = labelsOf([nested(text('field', label), wraps)]);
				expect(labels.get('field')).toBe(label);
				expect(labels.size).toBe(wraps.length + 1);
			}),
		);
	});

	it('leave out the groups of a fixed collection and the choices of a list, which are not parameters', () => {
		const list: INodeProperties = {
			...text('list', 'List'),
			type: 'options',
			options: [{ name: 'Choice', value: 'choice' }],
		};
		const labels = labelsOf([list, fixedCollection('sort', [text('field', 'Field')])]);
		expect([...labels.keys()]).toEqual(['list', 'sort', 'field']);
	});

	it.each([
		['side by side', [text('id', 'First'), text('id', 'Second')]],
		['the second in a collection', [text('id', 'First'), collection('c', [text('id', 'Second')])]],
		['the first in a collection', [collection('c', [text('id', 'First')]), text('id', 'Second')]],
	])('have the first of two parameters with the same name: %s', (_, properties) => {
		expect(labelsOf(properties).get('id')).toBe('First');
	});

	it.each([
		['Trigger', triggerProperties],
		['Action', actionProperties],
	])('include every parameter of a node: %s', (node, properties) => {
		const labels = labelsOf(properties);
		const parameters = EVERY_PROPERTY.filter(({ path }) => path.startsWith(node));
		expect(parameters.length).toBeGreaterThan(10);
		for (const { property } of parameters) expect(labels.get(property.name)).toMatch(/\S/);
		expect(labels.size).toBe(new Set(parameters.map(({ property }) => property.name)).size);
	});
});
