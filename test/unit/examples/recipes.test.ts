/** Recipes of docs/recipes.md, with inputs as mail programs and services write them. */
import type { IDataObject } from 'n8n-workflow';
import { runInNewContext } from 'node:vm';

import {
	evaluateConditions,
	type Conditions,
} from '../../../nodes/OutreachService/domain/conditions';
import replies from '../../field/replies.json';
import { automaticReplySubjects, booleans } from '../../field/values.json';
import { read } from '../texts/everyDocument';

/** What the recipe with a title says is to be pasted. */
function pastedFrom(title: string): string[] {
	const recipe = read('docs/recipes.md')
		.split(/^## /m)
		.find((one) => one.startsWith(`${title}\n`));
	return [...(recipe ?? '').matchAll(/^```\n([^`]+)\n```$/gm)].map(([, code = '']) => code);
}

const oneSpaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

describe('The text of a reply for a model', () => {
	const [expression = ''] = pastedFrom('The text of a reply for a model');
	// n8n evaluates what is between the braces as JavaScript.
	const textOf = ($json: object): unknown => runInNewContext(expression.slice(2, -2), { $json });
	const made = (text: unknown) => String(textOf({ activity: { text } }));

	it.each(replies)('has all that the lead wrote, and nothing of HTML: $name', ({ text, lead }) => {
		expect(oneSpaced(made(text))).toContain(oneSpaced(lead));
		expect(made(text)).not.toMatch(
			/<\/?(div|p|br|style|body|blockquote)\b|margin|&(#|nbsp|amp|lt)|\ufffd/i,
		);
	});

	it.each([
		['I have <50 people and >10k leads', 'I have <50 people and >10k leads'],
		['Write to <me@example.com> if a<b and b>c', 'Write to <me@example.com> if a<b and b>c'],
		['<!DOCTYPE html><P align=left nowrap>Gr&uuml;&#xdf;e &#x1F600;</P>', 'Grüße 😀'],
		['&amp;lt; &#55357; &#55357;&#56832; &#999999;', '&lt;  😀 \u{f423f}'],
		[`${'x'.repeat(3_999)}😀`, `${'x'.repeat(3_999)}😀`],
		[undefined, ''],
	])('is, of %j, %j', (text, expected) => {
		expect(made(text)).toBe(expected);
		expect(Buffer.from(made(text)).toString()).not.toContain('\ufffd');
	});
});

describe('Leave out automatic replies, and opens and clicks by bots', () => {
	const [automatic = '', bots = ''] = pastedFrom(
		'Leave out automatic replies, and opens and clicks by bots',
	);
	const isKept = (field: string, rightValue: string, value: unknown): boolean => {
		const operator = { type: 'string', operation: 'notRegex' } as const;
		const conditions: Conditions = {
			combinator: 'and',
			conditions: [{ field, operator, rightValue }],
		};
		return evaluateConditions({ [field]: value } as IDataObject, conditions, 'UTC').isMet;
	};

	it.each([
		...automaticReplySubjects.automatic,
		'[AUTOREPLY]: x',
		'Автоответ при отсутствии на работе',
		'外出时的自动答复',
		'Réponse automatique : x',
		'Abwesenheitsnotiz',
		'Resposta automática para ausência do escritório',
	])('leaves out the automatic reply %j', (subject) => {
		expect(isKept('subject', automatic, subject)).toBe(false);
	});

	it.each([
		...automaticReplySubjects.lead,
		'AW: Abwesenheit',
		'Automation proposal',
		'Respuesta a tu propuesta',
		undefined,
	])("keeps the lead's reply %j", (subject) => {
		expect(isKept('subject', automatic, subject)).toBe(true);
	});

	it.each([...booleans.false, ...booleans.neither, undefined])(
		'keeps an open with bot: %j',
		(bot) => {
			expect(isKept('bot', bots, bot)).toBe(true);
		},
	);

	it.each([...booleans.true, 'Yes'])('leaves out an open with bot: %j', (bot) => {
		expect(isKept('bot', bots, bot)).toBe(false);
	});
});
