/** What the error of an item must not show. */
import { withoutSecrets } from '../../../nodes/OutreachService/actions/itemErrors';

it('The parameters that an error shows hold no secret, and everything else', () => {
	const fields = { campaignId: 'cam_1', isFirst: true };
	const given = { secret: 's3cret', event: '*', additionalFields: { ...fields, secret: 's3cret' } };
	expect(withoutSecrets(given)).toEqual({
		secret: '(hidden)',
		event: '*',
		additionalFields: { ...fields, secret: '(hidden)' },
	});
	expect(given.secret).toBe('s3cret');
	const without = { event: '*', body: '{"a": 1}', additionalFields: fields };
	expect(withoutSecrets(without)).toEqual(without);
	expect(withoutSecrets({ body: '{"Secret": "x"}' })).toEqual({ body: '(hidden)' });
});
