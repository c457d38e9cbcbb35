import { redact } from '../../../nodes/OutreachService/api/redact';

describe('A value that must not be shown', () => {
	it.each([
		['as it is', 'a/b c', 'a/b c'],
		['in JSON of PHP', 'a/b', 'a\\/b'],
		['in JSON with lower-case escapes', 'aö', '\\u0061\\u00f6'],
		['in JSON with upper-case escapes', 'aö', '\\u0061\\u00F6'],
		['in a form', 'a b', 'a+b'],
		['in a URL', 'a/b ö', 'a%2Fb%20%C3%B6'],
		['in a lower-case URL', 'a/b ö', 'a%2fb%20%c3%b6'],
		['at the end', 'key', 'key'],
	])('is hidden %s', (_how, value, written) => {
		expect(redact(`before ${written} after ${written}`, [value])).toBe(
			'before (hidden) after (hidden)',
		);
	});

	it('leaves what only resembles it', () => {
		for (const text of ['a b', 'a+b', 'a\\/b', 'ab', '']) expect(redact(text, ['a_b'])).toBe(text);
	});

	it('is hidden in its longest form, so that nothing of it remains', () => {
		// A backslash is written as one character or, in JSON, as two.
		expect(redact('key\\\\', ['key\\'])).toBe('(hidden)');
	});
});
