/** The outputs that the canvas shows are those at which events come out. */
import fc from 'fast-check';
import { runInNewContext } from 'node:vm';
import { NodeHelpers, type INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { EVENTS, EVENT_TYPES } from '../../../nodes/OutreachService/domain/eventTypes';
import { selectionSchema } from '../../../nodes/OutreachService/parameters/selection';
import { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import { eventsOfOutputs } from '../../../nodes/OutreachService/parameters/chosenEvents';
import { tries } from '../../propertyRuns';

/** What the editor makes of an expression in the description, with the parameters of a node. */
function shown(expression: unknown, parameters: object): unknown {
	const code = /^=\{\{([^]*)\}\}$/.exec(z.string().parse(expression))?.[1] ?? '';
	// They would end the expression.
	expect(code).not.toContain('}}');
	// Of another context, its arrays would equal none of this one.
	return JSON.parse(JSON.stringify(runInNewContext(code, { $parameter: parameters })));
}

const { description } = new OutreachServiceTrigger();
const labelled = z.array(z.object({ type: z.literal('main'), displayName: z.string() }));

const type = fc.oneof(fc.constantFrom(...EVENT_TYPES, '*'), fc.constantFrom('brandNew', 'other'));
const parameters = fc.record({
	events: fc.oneof(
		fc.array(type, { maxLength: 5 }),
		fc.array(type, { maxLength: 3 }).map((types) => types.join(', ')),
	),
	options: fc.record(
		{
			outputs: fc.constant('perEvent'),
			customEventTypes: fc.array(type, { maxLength: 3 }).map((types) => types.join(' ,')),
		},
		{ requiredKeys: ['outputs'] },
	),
});

it('With an output for each event, the canvas and the executions have one for each event that the node subscribes to, in that order', () => {
	fc.assert(
		fc.property(parameters, ({ events, options }) => {
			const selection = selectionSchema.safeParse({ events, ...options }).data;
			if (!selection) return;
			const given = { events, options };
			expect(eventsOfOutputs(given)).toEqual(selection.events);
			const outputs = labelled.parse(shown(description.outputs, given));
			const names = selection.events.map((event) => EVENTS.get(event)?.label ?? event);
			if (names.length > 1 && names.at(-1) === 'All events') names.splice(-1, 1, 'Other events');
			expect(outputs.map(({ displayName }) => displayName)).toEqual(names);
		}),
		{ numRuns: tries(25) },
	);
});

/** The notices that the editor shows for these parameters. */
const noticesFor = (given: INodeParameters): string[] =>
	description.properties
		.filter(({ type: kind }) => kind === 'notice')
		.filter((property) => NodeHelpers.displayParameter(given, property, null, description))
		.map(({ name }) => name);

it.each<[INodeParameters, boolean]>([
	[{ events: ['*', 'emailsReplied'], options: {} }, true],
	[{ events: ['emailsReplied', '*'], options: { outputs: 'single' } }, true],
	[{ events: ['emailsReplied', '*'], options: { outputs: 'perEvent' } }, false],
	[{ events: ['*'], options: {} }, false],
	[{ events: ['emailsReplied', 'warmed'], options: {} }, false],
])('The editor says for %j that all events make the named ones needless: %s', (given, isShown) => {
	expect(noticesFor(given).includes('needlessEventsNotice')).toBe(isShown);
});

it.each([
	{},
	{ events: [], options: { outputs: 'perEvent' } },
	{ events: ['emailsReplied', 'warmed'], options: { outputs: 'single' } },
	{ events: ['emailsReplied', 'warmed'], options: '={{ $vars.options }}' },
])('The canvas shows one output for %j', (given) => {
	expect(shown(description.outputs, given)).toEqual(['main']);
});

it.each([
	[{ events: [] }, 'No Event Selected'],
	[{ events: ['emailsReplied'] }, 'Email: Reply Received'],
	[{ events: ['emailsReplied', 'emailsOpened', 'warmed'] }, 'Email: Reply Received + 2'],
	[{ events: ['emailsOpened', '*'] }, 'All Events'],
	[{ events: '={{ $vars.events }}' }, 'Events From an Expression'],
	[{ options: { customEventTypes: 'brandNew, other' } }, 'brandNew + 1'],
	[{ events: ['warmed', 'paused'], options: { outputs: 'perEvent' } }, 'An Output for Each Event'],
	[{ events: ['warmed'], options: { outputs: 'perEvent' } }, 'Lead State: Warmed'],
])('The text under the trigger for %j is %s', (given, expected) => {
	expect(shown(description.subtitle, given)).toBe(expected);
});
