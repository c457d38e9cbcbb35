/**
 * What n8n reads of the nodes besides texts and parameters. It is computed when a file is loaded, so hardly any other
 * test would notice a change.
 */
import type { INodeTypeDescription } from 'n8n-workflow';

import { OutreachService } from '../../nodes/OutreachService/OutreachService.node';
import { OutreachServiceTrigger } from '../../nodes/OutreachService/OutreachServiceTrigger.node';

const TEXTS: ReadonlySet<string> = new Set<keyof INodeTypeDescription>([
	'displayName',
	'description',
	'subtitle',
	'defaults',
	'eventTriggerDescription',
	'activationMessage',
	'triggerPanel',
	'builderHint',
	'properties',
]);

const withoutTexts = ({ description }: { description: INodeTypeDescription }): object =>
	Object.fromEntries(Object.entries(description).filter(([name]) => !TEXTS.has(name)));

const COMMON = {
	icon: { light: 'file:outreachService.svg', dark: 'file:outreachService.dark.svg' },
	outputs: ['main'],
	credentials: [{ name: 'outreachServiceApi', required: true, testedBy: 'outreachServiceApiTest' }],
};

test('The trigger has one webhook whose URL nobody needs to copy, and nothing that needs an expression', () => {
	expect(withoutTexts(new OutreachServiceTrigger())).toEqual({
		...COMMON,
		name: 'outreachServiceTrigger',
		group: ['trigger'],
		version: 1.1,
		inputs: [],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: 'noData',
				path: 'webhook',
				ndvHideUrl: true,
			},
		],
	});
});

test('The action node has one input and one output, and agents can use it as a tool', () => {
	expect(withoutTexts(new OutreachService())).toEqual({
		...COMMON,
		name: 'outreachService',
		group: ['transform'],
		version: 1,
		inputs: ['main'],
		usableAsTool: true,
	});
});
