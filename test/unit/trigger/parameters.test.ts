/** The parameters of the trigger are read or rejected by name, whatever an expression returns. */
import fc from 'fast-check';
import { NodeOperationError } from 'n8n-workflow';

import { ADDED_EVENT_FIELDS } from '../../../nodes/OutreachService/domain/activity';
import { options } from '../../../nodes/OutreachService/trigger/description/options';
import { readSelection } from '../../../nodes/OutreachService/trigger/readSelection';
import { read, readerOf, type } from './selections';

describe('The parameters of the trigger', () => {
	const names = options.map(({ name }) => name);
	/** Mostly one at a time: the first that is wrong hides the others. */
	const anyOptions = fc.oneof(
		{
			weight: 5,
			arbitrary: fc
				.tuple(fc.constantFrom(...names), fc.anything())
				.map(([name, value]) => ({ [name]: value })),
		},
		fc.record(Object.fromEntries(names.map((name) => [name, fc.anything()])), {
			requiredKeys: [],
		}),
		fc.anything(),
	);
	const anyEvents = fc.oneof(
		{ weight: 5, arbitrary: fc.array(type, { minLength: 1, maxLength: 3 }) },
		fc.anything(),
	);

	it('are read or rejected by name, whatever an expression returns', () => {
		fc.assert(
			fc.property(anyEvents, anyOptions, (events, options) => {
				try {
					const expressions = { events: '={{ $vars.a }}', options: '={{ $vars.b }}' };
					const { events: types } = readSelection(readerOf(expressions, { events, options }));
					expect(new Set(types).size).toBe(types.length);
					for (const one of types) expect(one).toBe(one.trim());
					if (types.includes('*')) expect(types).toEqual(['*']);
				} catch (error) {
					expect(error).toBeInstanceOf(NodeOperationError);
					expect(error).toMatchObject({
						message: expect.stringMatching(
							/^The value of '[A-Z].*' cannot be used\. [A-Z].*[^.]$/s,
						) as unknown,
						description: expect.stringMatching(/^Correct '[A-Z].*\.$/) as unknown,
					});
				}
			}),
		);
	});

	it.each<[string, Record<string, unknown>]>([
		['Trigger On', { events: 1 }],
		['Campaign ID', { campaignId: 1 }],
		['Webhooks: First Event Only', { isFirst: 'yes' }],
		['Custom Event Types', { customEventTypes: 1 }],
		['Webhooks: Subscription', { subscription: 'both' }],
		['Webhooks: Verify Secret', { verifySecret: 'no' }],
		['Third-Party Replies', { thirdPartyReplies: 'some' }],
		['Webhooks: Repair Interval', { repairMinutes: -1 }],
		['Ignore Duplicates', { duplicateMemory: 'redis' }],
		['Data Format', { output: 'flat' }],
		['Max Events', { batch: { values: { maxEvents: 0 } } }],
		['Max Seconds', { batch: { values: { maxSeconds: 60 } } }],
		['Batch Events', { batch: 'yes' }],
		['Trigger On', { events: ['emailReplied'] }],
		['Trigger On', { events: ['*', 'emailReplied'] }],
		['Trigger On', { events: ['*', 'emailReplied'], outputs: 'perEvent' }],
		['Custom Event Types', { customEventTypes: 'emailReplied' }],
		['Custom Event Types', { customEventTypes: 'somethingNew; anotherEvent' }],
	])(
		'have the same name in an error as in the editor: %s',
		(label, { events = ['warmed'], ...options }) => {
			expect(() => read(events, options)).toThrow(`The value of '${label}' cannot be used`);
		},
	);

	it('have the defaults of the editor when they are missing or null', () => {
		// What these are: `unit/editor.test.ts`.
		const defaults = read(['warmed'], {});
		const nulls = Object.fromEntries(names.map((name) => [name, null]));
		for (const options of [nulls, null, 'text', undefined]) {
			expect(read(['warmed'], options)).toEqual(defaults);
		}
		expect(read('warmed', {})).toEqual(defaults);
	});

	const operator = { type: 'number', operation: 'gt' };
	/** Reads parameters of which n8n has stored `options`, and evaluates nothing but `values`. */
	const readEvaluated = (options: object, values: Record<string, unknown>) =>
		readSelection({
			...readerOf({ events: ['warmed'], options }),
			getNodeParameter: (name) => {
				if (!(name in values)) throw new Error(`${name} was evaluated`);
				return values[name];
			},
		});

	const CONTAINS = { type: 'string', operation: 'contains' };
	/** Reads parameters with a condition, of which n8n evaluates nothing. */
	const withCondition = (leftValue: string, rightValue: unknown = 'x', operator = CONTAINS) =>
		readEvaluated({ onlyWhen: { conditions: [{ id: '1', leftValue, rightValue, operator }] } }, {});
	const refused = (reason: string) =>
		expect.objectContaining({
			message: expect.stringContaining(reason) as string,
			description: expect.stringMatching(/^Correct 'Only When'/) as string,
		}) as Error;

	const NO_FIELD = '{{ $json.sequenceStep }}';
	const NOT_OF_EVENT = 'or use an If node after the trigger';

	it.each<[string, string]>([
		['{{ 1 + 1 }}', NO_FIELD],
		['=a {{ $json.a }}', NO_FIELD],
		['=$json.a + 1', NO_FIELD],
		['{{ $json.subject.toLowerCase() }}', NO_FIELD],
		['={{ campaignName }}', NO_FIELD],
		// The editor drops a name without braces.
		[' ', 'A condition has no field on its left side'],
		// Misspelled, or named as another service does.
		['Campaign Name', "Did you mean 'campaignName'?"],
		['leadEmial', "Did you mean 'leadEmail'?"],
		['CC', "Did you mean 'cc'?"],
		['campaign', "Did you mean 'campaignName'?"],
		// From the output 'Grouped'.
		['lead.email', "Did you mean 'leadEmail'?"],
		['event.id', "Did you mean '_id'?"],
		['email.to.0.address', "Did you mean 'to.0.address'?"],
		['activity.lead._id', "Did you mean 'lead._id'?"],
		...ADDED_EVENT_FIELDS.map((name): [string, string] => [`event.${name}`, NOT_OF_EVENT]),
		// From the Webhook node.
		['body.campaign_id', "Did you mean 'campaignId'?"],
		['={{ $json["body"]["campaignName"] }}', "Did you mean 'campaignName'?"],
		['={{ $json.body?.to?.[0]?.address }}', "Did you mean 'to.0.address'?"],
		['query.event', NOT_OF_EVENT],
		['={{ $json.headers["user-agent"] }}', NOT_OF_EVENT],
		// Below a field that has none.
		['subject.length', "Did you mean 'subject'?"],
		['to.address', "Did you mean 'to.0.address'?"],
	])('are rejected when a condition has %s on its left side: %s', (given, reason) => {
		expect(() => withCondition(given)).toThrow(refused(reason));
	});

	it.each(['campaign_id', 'lead.email', 'to.address'])(
		'are rejected with both ways out when a condition names %s, which a service may add',
		(given) => {
			const quoted = `{{ $json["${given}"] }}`;
			expect(() => withCondition(given)).toThrow(refused(quoted));
			for (const written of [quoted, `=${quoted}`, `={{ $json['${given}'] }}`]) {
				expect(withCondition(written).onlyWhen?.conditions).toMatchObject([{ field: given }]);
			}
		},
	);

	it.each([
		['brandNewField', 'brandNewField'],
		['={{ $json["Phone.Mobile"] }}', 'Phone.Mobile'],
		['lead.score', 'lead.score'],
		['to[0].address', 'to[0].address'],
		['Revenue [k€]', 'Revenue [k€]'],
		['cc.length', 'cc.length'],
		['={{ $json.größe }}', 'größe'],
	])('are accepted when a condition names %s, which an event may have', (given, field) => {
		expect(withCondition(given).onlyWhen?.conditions).toMatchObject([{ field }]);
	});

	it.each([
		['sms: reply received', 'smsReplied'],
		['Email: Bounced (Undeliverable)', 'emailsBounced'],
		['bounced', 'emailsBounced'],
		['All Events', '*'],
	])('are rejected with the type of the event %s, whose name was entered', (given, meant) => {
		const refusal = `The service has no event type '${given}'. Did you mean '${meant}'?`;
		expect(() => read([given], {})).toThrow(refusal);
		expect(() => read([], { customEventTypes: `${given}, another` })).toThrow(refusal);
	});

	it.each([
		['string', 'regex', '/out of (the office/i', 'Unterminated group'],
		['number', 'gt', 'one', "the string 'one' can't be converted to a number"],
		['dateTime', 'after', '', 'it is not a date'],
		['string', 'contains', '={{ $json.leadEmail }}', 'cannot use the event'],
		['string', 'contains', '={{ $input.item.json.a }}', 'cannot use the event'],
		['string', 'contains', { a: 1 }, 'The value of a condition must be a text, a number, a date'],
	])('are rejected when nothing can be compared with %s %s %j', (type, operation, right, why) => {
		expect(() => withCondition('subject', right, { type, operation })).toThrow(refused(why));
	});

	it('accept lists of texts, which an expression may return', () => {
		const { campaignIds, events } = read(['warmed'], {
			campaignId: ['cam_1', ' https://a.test/campaigns/cam_2?columns=a,b '],
			customEventTypes: ['somethingNew', 'anotherEvent'],
		});
		expect(campaignIds).toEqual(['cam_1', 'cam_2']);
		expect(events).toEqual(expect.arrayContaining(['somethingNew', 'anotherEvent']));
		expect(() => read(['warmed'], { campaignId: ['cam_1', 7] })).toThrow('It must be text');
	});

	it('accept numbers as text, because the variables of n8n are texts', () => {
		const batch = { values: { maxEvents: ' 20 ', maxSeconds: '0.5' } };
		const { repairMinutes, batch: limits } = read(['warmed'], { repairMinutes: '30', batch });
		expect(repairMinutes).toBe(30);
		expect(limits).toMatchObject({ maxEvents: 20, maxSeconds: 0.5 });
		for (const wrong of ['', 'x', '1e3', '20.5', '-1', '1001', 'Infinity', '0x10']) {
			const values = { maxEvents: wrong };
			expect(() => read(['warmed'], { batch: { values } })).toThrow("The value of 'Max Events'");
		}
	});

	it.each([
		['$json.sequenceStep', 'sequenceStep'],
		['={{ $json.sequenceStep }}', 'sequenceStep'],
		["={{ $json.to[0]['address'] }}", 'to.0.address'],
	])('take the field of a condition from %s, and evaluate no expression for it', (given, field) => {
		const conditions = [
			{ id: '1', leftValue: given, rightValue: '={{ 1 }}', operator },
			{ id: '2', leftValue: 'fullName', operator },
			{ id: '3', operator: CONTAINS },
		];
		const { onlyWhen, isFirst } = readEvaluated(
			{ isFirst: '={{ true }}', onlyWhen: { combinator: 'or', conditions } },
			{ 'options.isFirst': true, 'options.onlyWhen.conditions[0].rightValue': 1 },
		);
		expect(isFirst).toBe(true);
		expect(onlyWhen?.combinator).toBe('or');
		expect(onlyWhen?.conditions).toMatchObject([{ field, rightValue: 1 }, { field: 'fullName' }]);
	});

	it('combine conditions with AND if a workflow does not say how', () => {
		const conditions = [{ id: '1', leftValue: 'fullName', operator }];
		expect(read(['warmed'], { onlyWhen: { conditions } }).onlyWhen?.combinator).toBe('and');
	});

	/** What an expression returns that finds nothing. */
	const nothing = fc.constantFrom<unknown>(undefined, null, '', '  ', ',', [], [''], [null]);
	const EXPRESSION = '={{ $vars.none }}';
	const condition = (rightValue: unknown) => ({
		conditions: [{ id: '1', leftValue: 'campaignName', operator: CONTAINS, rightValue }],
	});

	it.each<[string, (value: unknown) => Record<string, unknown>]>([
		['Trigger On', (events) => ({ events })],
		['Campaign ID', (campaignId) => ({ campaignId })],
		['Custom Event Types', (customEventTypes) => ({ customEventTypes })],
		['Webhooks: First Event Only', (isFirst) => ({ isFirst })],
		['Webhooks: Verify Secret', (verifySecret) => ({ verifySecret })],
		['Max Events', (maxEvents) => ({ batch: { values: { maxEvents } } })],
		['Only When', (rightValue) => ({ onlyWhen: condition(rightValue) })],
	])('are rejected when the expression of %s returns nothing', (label, make) => {
		fc.assert(
			fc.property(nothing, (value) => {
				const { events: stored, ...storedOptions } = { events: ['warmed'], ...make(EXPRESSION) };
				const { events, ...options } = { events: ['warmed'], ...make(value) };
				const reader = readerOf({ events: stored, options: storedOptions }, { events, options });
				expect(() => readSelection(reader)).toThrow(
					`The value of '${label}' cannot be used. Its expression returns nothing`,
				);
			}),
		);
	});

	it.each(['undefined', 'cam_null', ['NaN']])(
		'are rejected when an expression leaves %j of what it means',
		(left) => {
			const rejected: Array<[label: string, options: object, evaluated: object]> = [
				['Campaign ID', { campaignId: EXPRESSION }, { campaignId: left }],
				['Custom Event Types', { customEventTypes: EXPRESSION }, { customEventTypes: left }],
				['Only When', { onlyWhen: condition(EXPRESSION) }, { onlyWhen: condition(left) }],
			];
			for (const [label, options, evaluated] of rejected) {
				const events = ['warmed'];
				const reader = readerOf({ events, options }, { events, options: evaluated });
				expect(() => readSelection(reader)).toThrow(
					`The value of '${label}' cannot be used. A part of it is undefined, null or NaN`,
				);
			}
		},
	);

	it.each([
		['Trigger On', { events: '={{ ["emailsReplied"] }}' }, {}],
		['Custom Event Types', { events: [] }, { customEventTypes: '={{ "brandNew" }}' }],
	])(
		'are rejected when an expression in %s returns the events of the outputs, which the canvas could not show',
		(label, events, options) => {
			const stored = { ...events, options: { outputs: 'perEvent', ...options } };
			const evaluated = {
				events: ['warmed'],
				options: { ...stored.options, customEventTypes: 'a' },
			};
			expect(() => readSelection(readerOf(stored, evaluated))).toThrow(
				`The value of '${label}' cannot be used. With an output for each event`,
			);
		},
	);

	it('are rejected when only third-party replies start the workflow, and no event can be one', () => {
		expect(() => read(['smsReplied', 'paused'], { thirdPartyReplies: 'only' })).toThrow(
			"The value of 'Third-Party Replies' cannot be used. None of the selected events can be a reply from a third party",
		);
	});

	it('are rejected when one webhook would count the first activity of all events', () => {
		const check = (events: string[], options: object) => () =>
			read(events, { isFirst: true, ...options });
		expect(check(['*'], {})).toThrow("The value of 'Webhooks: First Event Only' cannot be used");
		expect(check(['warmed'], { subscription: 'singleHook' })).toThrow(
			"The value of 'Webhooks: First Event Only' cannot be used",
		);
		expect(check(['warmed', 'smsReplied'], {})).not.toThrow();
	});
});
