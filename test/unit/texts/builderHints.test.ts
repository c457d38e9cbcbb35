import { z } from 'zod';

import { activitySchema } from '../../../nodes/OutreachService/model/activity';
import { OutreachService } from '../../../nodes/OutreachService/OutreachService.node';
import { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import { OUTPUTS, TRIGGER_OUTPUT } from '../../../tools/docs/outputs';
import { EVERY_PROPERTY } from './everyProperty';

const action = new OutreachService().description;
const trigger = new OutreachServiceTrigger().description;

/** What the AI builder's search says of a node. */
const searchHints = [action, trigger].map(({ builderHint }) => builderHint?.searchHint ?? '');

/** The sample item in a hint. */
const sampleIn = (hint: string): Record<string, unknown> =>
	z.record(z.unknown()).parse(JSON.parse(/\{.*?\}/.exec(hint)?.[0] ?? 'null'));

it("The search of n8n's AI builder shows a sample item that has only fields that exist", () => {
	const [webhook, activity] = searchHints.map(sampleIn);
	expect(Object.keys(OUTPUTS.webhook?.get ?? {})).toEqual(
		expect.arrayContaining(Object.keys(webhook ?? {})),
	);
	expect(Object.keys(TRIGGER_OUTPUT)).toEqual(expect.arrayContaining(Object.keys(activity ?? {})));
	expect(activitySchema.parse(activity).type).toBe('emailsReplied');
});

it('No hint is at resource or operation itself, where n8n refuses to load it', () => {
	const selectors = EVERY_PROPERTY.filter(({ property: { name } }) =>
		['resource', 'operation', 'mode'].includes(name),
	);
	expect(selectors.length).toBeGreaterThan(2);
	for (const { property } of selectors) expect(property).not.toHaveProperty('builderHint');
});

it('A hint has no expression syntax of workflow files, which the AI builder would repeat', () => {
	expect(JSON.stringify([action, trigger].map((node) => node.builderHint))).not.toContain('={{');
});
