import { generateDiscriminatedUnion } from '@n8n/workflow-sdk/scripts/generate-types';
import { z } from 'zod';

import { activitySchema } from '../../../nodes/OutreachService/model/schemas';
import { OutreachService } from '../../../nodes/OutreachService/OutreachService.node';
import { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import { OUTPUTS, TRIGGER_OUTPUT } from '../../../tools/outputSchemas/outputs';
import { EVERY_PROPERTY } from './everyProperty';

const action = new OutreachService().description;
const trigger = new OutreachServiceTrigger().description;

const nodeType = z.custom<Parameters<typeof generateDiscriminatedUnion>[0]>();

/** The definitions that n8n's AI builder reads before it sets parameters, each on a line with its comment. */
const definitions = [action, trigger]
	.map((node) => generateDiscriminatedUnion(nodeType.parse(node)))
	.join('\n');

/** The hints that the builder sees at the parameters of this type; several operations may have one. */
function hintsAt(declaration: RegExp): string {
	const lines = definitions.split('\n');
	return lines
		.flatMap((line, at) => (declaration.test(line.trim()) ? [at] : []))
		.map((at) => lines.slice(0, at).join('\n').split('/**').at(-1) ?? '')
		.map((comment) => comment.split('@builderHint')[1] ?? '')
		.join('\n');
}

it.each([
	[/^events: Array</, "['emailsReplied', 'networkInviteAccepted']"],
	[/^onlyWhen\?:/, 'leftValue'],
	[/^campaignId\?:/, ''],
	[/^event\?: '\*'/, "'emailsReplied', never its label"],
	[/^webhookId\?: \{ __rl/, "{ __rl: true, mode: 'id', value: 'hoo_4fT9x' }"],
	[/^dryRun\?:/, 'nothing is deleted'],
])("n8n's AI builder reads a hint at the parameter %s", (declaration, text) => {
	expect(definitions).toMatch(new RegExp(declaration.source.replace('^', ''), 'm'));
	expect(hintsAt(declaration)).toContain(text);
});

/** What the AI builder's search says of a node. */
const searchHints = [action, trigger].map(({ name, builderHint }) => ({
	name,
	hint: builderHint?.searchHint ?? '',
	relatedNodes: builderHint?.relatedNodes ?? [],
}));

/** The sample item in a hint. */
const sampleIn = (hint: string): Record<string, unknown> =>
	z.record(z.unknown()).parse(JSON.parse(/\{.*?\}/.exec(hint)?.[0] ?? 'null'));

it("The search of n8n's AI builder shows a sample item that has only fields that exist", () => {
	const [webhook, activity] = searchHints.map(({ hint }) => sampleIn(hint));
	expect(Object.keys(OUTPUTS.webhook?.get ?? {})).toEqual(
		expect.arrayContaining(Object.keys(webhook ?? {})),
	);
	expect(Object.keys(TRIGGER_OUTPUT)).toEqual(expect.arrayContaining(Object.keys(activity ?? {})));
	expect(activitySchema.parse(activity).type).toBe('emailsReplied');
});

it('Each node names the other as related', () => {
	const names = searchHints.flatMap(({ relatedNodes }) => relatedNodes.map((one) => one.nodeType));
	expect(names.sort()).toEqual(
		[action.name, trigger.name].map((name) => `n8n-nodes-outreach-service.${name}`),
	);
});

it('No hint is at resource or operation itself, where n8n refuses to load it', () => {
	const selectors = EVERY_PROPERTY.filter(({ property: { name } }) =>
		['resource', 'operation', 'mode'].includes(name),
	);
	expect(selectors.length).toBeGreaterThan(2);
	for (const { property } of selectors) expect(property).not.toHaveProperty('builderHint');
});

it('Operations that change something say in a hint what a model must know', () => {
	const operations = action.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [] }) => options);
	const hinted = operations.flatMap((one) =>
		'value' in one && one.builderHint ? [String(one.value)] : [],
	);
	expect(hinted).toEqual(expect.arrayContaining(['create', 'deleteMany', 'rotateSecret']));
});

it('A hint has no expression syntax of workflow files, which the AI builder would repeat', () => {
	expect(JSON.stringify([action, trigger].map((node) => node.builderHint))).not.toContain('={{');
});
