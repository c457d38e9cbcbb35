import { EVERY_MESSAGE, EVERY_TEXT } from './everyText';

/** n8n's UX guidelines: an error title says what happened, without words of blame. */
const BLAME = /\b(errors?|problems?|failures?|mistakes?|fail(s|ed|ing)?|invalid)\b/i;

const messages = [...EVERY_MESSAGE];

it('All texts in the source are found, including those with placeholders', () => {
	expect(EVERY_TEXT.length).toBeGreaterThan(150);
	expect(EVERY_MESSAGE.size).toBeGreaterThan(15);
	expect(EVERY_MESSAGE).toContain('Nothing is listening at …');
	expect(EVERY_MESSAGE).toContain('No event is selected');
});

it('No error title uses words of blame', () => {
	expect(messages.filter((message) => BLAME.test(message))).toEqual([]);
});

it('Each error title begins with a capital letter and ends without a full stop', () => {
	expect(messages.filter((message) => !/^([A-Z…]|n8n )/.test(message))).toEqual([]);
	expect(messages.filter((message) => /[.!]$/.test(message))).toEqual([]);
});

it('A text puts the name of a field in quotation marks', () => {
	const FIELDS = ['Base URL', 'Trigger On', 'Custom Event Types', 'Get Many'];
	const unquoted = new RegExp(`(?<!['"])\\b(${FIELDS.join('|')})\\b(?!['"])`);
	const texts = EVERY_TEXT.map(({ text }) => text.trim()).filter((text) => !FIELDS.includes(text));
	expect(texts.filter((text) => unquoted.test(text))).toEqual([]);
});
