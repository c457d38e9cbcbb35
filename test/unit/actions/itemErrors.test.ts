/** What the error of an item must not show. */
import fc from 'fast-check';

import { withoutSecrets } from '../../../nodes/OutreachService/actions/itemErrors';

it('The parameters that an error shows hold no secret, and everything else', () => {
	const secret = fc.stringMatching(/^s3cret-[a-z]{8,30}$/);
	const others = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.string(), fc.nat()));
	fc.assert(
		fc.property(others, others, secret, (parameters, fields, value) => {
			expect(withoutSecrets({ ...parameters, additionalFields: fields })).toEqual({
				...parameters,
				additionalFields: fields,
			});
			const given = {
				...parameters,
				secret: value,
				additionalFields: { ...fields, secret: value },
			};
			expect(withoutSecrets(given)).toEqual({
				...parameters,
				secret: '(hidden)',
				additionalFields: { ...fields, secret: '(hidden)' },
			});
			expect(given.secret).toBe(value);
		}),
	);
});
