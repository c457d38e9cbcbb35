import { EVERY_MESSAGE, EVERY_TEXT } from './everyText';

/** n8n's UX guidelines: an error says what happened and what to do, and does not call itself names. */
const BLAME = /\b(errors?|problems?|failures?|mistakes?|fail(s|ed|ing)?|invalid)\b/i;

/** A setting of n8n's, by its name. */
const RETRY = "'Retry On Fail'";

/** The names of events are the service's own. */
const sentences = EVERY_TEXT.filter(
	({ file, text }) => text.includes(' ') && !file.endsWith('eventTypes.ts'),
).map(({ text }) => text.replaceAll(RETRY, ''));

it('finds the texts of the source, those that are filled in too', () => {
	expect(sentences.length).toBeGreaterThan(150);
	expect(EVERY_MESSAGE.size).toBeGreaterThan(15);
	expect(EVERY_MESSAGE).toContain('Nothing answers at …');
	expect(EVERY_MESSAGE).toContain('No event is selected');
});

it.each(sentences)('is not a text of blame: %s', (text) => {
	expect(text).not.toMatch(BLAME);
});

it.each([...EVERY_MESSAGE])('is a message that begins like a sentence: %s', (message) => {
	expect(message).toMatch(/^([A-Z…]|n8n )/);
	expect(message).not.toMatch(/[.!]$/);
});

const FIELDS = ['Base URL', 'Trigger On', 'Custom Event Types', 'Get Many', 'Retry On Fail'];

it.each(FIELDS)("puts '%s' into quotation marks wherever a text refers to it", (name) => {
	const bare = new RegExp(`(?<!['\"])${name}(?!['\"])`);
	for (const { text } of EVERY_TEXT) if (text.trim() !== name) expect(text).not.toMatch(bare);
});
