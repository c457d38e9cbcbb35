import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { withDescription } from '../../../nodes/OutreachService/actions/itemErrors';
import { NODE as node } from '../actionNode';

describe('What other items have changed', () => {
	it.each([
		['after what to do', 'Try again.', 'Try again. Item 0 was carried out.'],
		['alone, when there was nothing to do', undefined, 'Item 0 was carried out.'],
	])('is told %s', (_where, description, expected) => {
		const given = description === undefined ? {} : { description };
		const error = new NodeOperationError(node, 'It did not work', given);
		expect(withDescription(error, 'Item 0 was carried out.')).toBe(error);
		expect(error.description).toBe(expected);
	});

	it('is told with a failed request as well', () => {
		const error = new NodeApiError(node, {}, { message: 'Refused', description: 'Wait.' });
		withDescription(error, 'Item 0 was carried out.');
		expect(error.description).toBe('Wait. Item 0 was carried out.');
	});

	it('changes nothing when there is nothing to tell, or in an error of another kind', () => {
		const error = new NodeOperationError(node, 'It did not work', { description: 'Try again.' });
		expect(withDescription(error, undefined)).toMatchObject({ description: 'Try again.' });
		expect(withDescription(new Error('Elsewhere'), 'Item 0')).not.toHaveProperty('description');
	});
});
