/** Which text of a list a misspelled one means. */
import fc from 'fast-check';

import { misspelled } from '../../../nodes/OutreachService/utils/nearest';
import { tries } from '../../propertyRuns';

/** Few letters, so that many words are near each other; no `s`, which could be a plural. */
const letter = fc.constantFrom('a', 'b', 'c');
const word = fc.string({ unit: letter, minLength: 4, maxLength: 8 });

/** Every text that one letter too many, too few, replaced or swapped with its neighbour makes of another. */
function withOneMistake(text: string): Set<string> {
	const letters = ['a', 'b', 'c'];
	const places = [...Array(text.length + 1).keys()];
	return new Set(
		places.flatMap((at) => {
			const [before, after] = [text.slice(0, at), text.slice(at)];
			return [
				before + after.slice(1),
				...letters.map((added) => before + added + after),
				...(after === '' ? [] : letters.map((other) => before + other + after.slice(1))),
				before + after.charAt(1) + after.charAt(0) + after.slice(2),
			];
		}),
	);
}

it('A text of five letters is recognized with one mistake, and with no more', () => {
	fc.assert(
		fc.property(word, word, (meant, given) => {
			const isNear = given !== meant && given.length >= 5 && withOneMistake(meant).has(given);
			expect(misspelled(given, [meant])).toBe(isNear ? meant : undefined);
		}),
		{ numRuns: tries(500) },
	);
});

it.each([
	['a_b_c_1', 'abc1'],
	['a_b_c_1', 'abcs1s'],
	['stepsS2', 'stepS2s'],
	['as-bs-cs', 'aBC'],
])("'%s' differs from '%s' only in separators and plurals", (given, text) => {
	expect(misspelled(given, [text])).toBe(text);
});

it.each([
	['an S inside a word', 'message', 'mesage2'],
	['digits', 'step12', 'step34'],
	['what follows an s', 'ssssab', 'ab'],
])('%s is no matter of case, separators or plurals', (_what, given, text) => {
	expect(misspelled(given, [text])).toBeUndefined();
});

it('A text in the list is not misspelled, however near others are', () => {
	expect(misspelled('emailsOpened', ['emailOpened', 'emailsOpened'])).toBeUndefined();
});

it('A text that differs only in case, separators and plurals comes before one with a mistake', () => {
	const texts = ['emailOpene', 'emailOpened'];
	expect(misspelled('email_opened', texts)).toBe('emailOpened');
	expect(misspelled('email_opened', texts.toReversed())).toBe('emailOpened');
});
