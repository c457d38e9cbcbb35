import { EVERY_MESSAGE, EVERY_TEXT } from './everyText';

/** n8n's UX guidelines: the title of an error says what happened, and does not call itself names. */
const BLAME = /\b(errors?|problems?|failures?|mistakes?|fail(s|ed|ing)?|invalid)\b/i;

const messages = [...EVERY_MESSAGE];

it('finds the texts of the source, those that are filled in too', () => {
	expect(EVERY_TEXT.length).toBeGreaterThan(150);
	expect(EVERY_MESSAGE.size).toBeGreaterThan(15);
	expect(EVERY_MESSAGE).toContain('Nothing is listening at …');
	expect(EVERY_MESSAGE).toContain('No event is selected');
});

it('has no error title that blames', () => {
	expect(messages.filter((message) => BLAME.test(message))).toEqual([]);
});

it('begins each error title like a sentence, and ends it without a full stop', () => {
	expect(messages.filter((message) => !/^([A-Z…]|n8n )/.test(message))).toEqual([]);
	expect(messages.filter((message) => /[.!]$/.test(message))).toEqual([]);
});

it('puts the name of a field into quotation marks wherever a text refers to it', () => {
	const FIELDS = ['Base URL', 'Trigger On', 'Custom Event Types', 'Get Many', 'Retry On Fail'];
	const bare = new RegExp(`(?<!['"])\\b(${FIELDS.join('|')})\\b(?!['"])`);
	const texts = EVERY_TEXT.map(({ text }) => text.trim()).filter((text) => !FIELDS.includes(text));
	expect(texts.filter((text) => bare.test(text))).toEqual([]);
});
