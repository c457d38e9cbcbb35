/** Recipes of docs/recipes.md, with inputs as mail programs and services write them. */
import type { IDataObject } from 'n8n-workflow';
import { runInNewContext } from 'node:vm';

import {
	evaluateConditions,
	type Conditions,
} from '../../../nodes/OutreachService/domain/conditions';
import replies from '../../field/replies.json';
import { automaticReplySubjects, booleans } from '../../field/values.json';
import { RECIPES, pastedFrom as pastedFromRecipe } from './recipes';

/** This one has nothing to paste. */
const tested = new Set(['Third-party replies to a person']);

/** What the recipe with a title says is to be pasted. */
function pastedFrom(title: string): string[] {
	tested.add(title);
	return pastedFromRecipe(title);
}

/** A test of the first expression that the recipe with a title says is to be pasted. */
function testRecipe(title: string, what: string, test: (expression: string) => void): void {
	const [expression = ''] = pastedFrom(title);
	it(`${title}: ${what}`, () => {
		test(expression);
	});
}

/** What an expression returns where these names are known: n8n evaluates what is between the braces as JavaScript. */
const evaluate = (expression: string, names: object): unknown =>
	runInNewContext(`(${expression.slice(2, -2)})`, { ...names });

const oneSpaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

describe('The text of a reply for a model', () => {
	const [expression = ''] = pastedFrom('The text of a reply for a model');
	const made = (text: unknown) => String(evaluate(expression, { $json: { activity: { text } } }));

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

testRecipe(
	'One message for each lead and hour',
	'the value to dedupe on is the same for the events of a lead, and no others',
	(expression) => {
		const valueAt = (hour: string) => (lead: object) => {
			const $now = { toFormat: (format: string) => format.replace('yyyy-MM-dd HH', hour) };
			return evaluate(expression, { $now, $json: { lead, event: { key: 'key' } } });
		};
		const ada = { id: 'lea_1', email: 'ada@example.com' };
		const leads = [ada, { ...ada, email: 'Ada@Example.com' }, { id: 'lea_2' }, {}];
		const values = ['ada@example.com', 'ada@example.com', 'lea_2', 'key'];
		for (const hour of ['2026-01-15 09', '2026-01-15 10'])
			expect(leads.map(valueAt(hour))).toEqual(values.map((value) => `${value} ${hour}`));
	},
);

testRecipe(
	'An owner or a channel for each campaign',
	'those that are named have their own',
	(expression) => {
		const channelOf = (name: string | null) =>
			evaluate(expression, { $json: { campaign: { name } } });
		const channels = ['Autumn', 'Winter', 'Spring', null].map(channelOf);
		expect(channels).toEqual(['#sales-north', '#sales-south', '#sales', '#sales']);
	},
);

testRecipe('Several teams', 'the trigger that has run names the team', (expression) => {
	const teamOf = (ran: string) =>
		evaluate(expression, { $: (name: string) => ({ isExecuted: name === ran }) });
	expect(['Team North', 'Team South'].map(teamOf)).toEqual(['North', 'South']);
});

testRecipe(
	'Unsubscribe the lead',
	'the path is one segment longer, whatever the ID',
	(expression) => {
		const path = evaluate(expression, { $json: { lead: { id: 'lea 1/2' } } });
		expect(path).toBe('/leads/lea%201%2F2/unsubscribe');
	},
);

testRecipe('After a report that events may be lost', 'a run that fails is none', (isLost) => {
	expect(evaluate(isLost, { $json: { execution: { error: { message: 'It failed' } } } })).toBe(
		false,
	);
});

it('There is no other recipe', () => {
	expect(new Set(RECIPES.keys())).toEqual(tested);
});
