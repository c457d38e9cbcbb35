import fc from 'fast-check';

import { redacted } from '../../../nodes/OutreachService/actions/secrets';

describe('Redacting the parameters of a node', () => {
	const secret = fc.stringMatching(/^s3cret-[a-z]{8,30}$/);
	const others = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.string(), fc.nat()));

	it('hides every secret and changes nothing else', () => {
		fc.assert(
			fc.property(others, others, secret, (parameters, fields, value) => {
				const given = {
					...parameters,
					secret: value,
					additionalFields: { ...fields, secret: value },
				};
				const hidden = redacted(given);
				expect(JSON.stringify(hidden)).not.toContain(value);
				const masked = { ...fields, secret: '(hidden)' };
				expect(hidden).toEqual({ ...given, secret: '(hidden)', additionalFields: masked });
				expect(given.secret).toBe(value);
			}),
		);
	});

	it('changes nothing when there is no secret', () => {
		fc.assert(
			fc.property(others, others, (parameters, additionalFields) => {
				expect(redacted(parameters)).toEqual(parameters);
				expect(Object.keys(redacted(parameters))).toEqual(Object.keys(parameters));
				const given = { ...parameters, additionalFields };
				expect(redacted(given)).toEqual(given);
			}),
		);
	});
});
