import type { INodeProperties } from 'n8n-workflow';

import { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';
import { OutreachService } from '../../../nodes/OutreachService/OutreachService.node';
import { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';

/** A property, and where users find it: 'Action webhook: create › Additional Fields › Secret'. */
export type Found = { path: string; property: INodeProperties };

const isProperty = (option: object): option is INodeProperties => 'type' in option;

function walk(property: INodeProperties, path: string): Found[] {
	const here = `${path} › ${property.displayName}`;
	const options = property.options ?? [];
	const inner = options.flatMap((one) => {
		if ('values' in one) return one.values;
		return isProperty(one) ? [one] : [];
	});
	return [{ path: here, property }, ...inner.flatMap((one) => walk(one, here))];
}

/** The operation to which a field of the action node belongs, such as 'webhook: create'. */
const operationOf = ({ displayOptions }: INodeProperties): string =>
	['resource', 'operation']
		.flatMap((name) => displayOptions?.show?.[name] ?? [])
		.map(String)
		.join(': ');

/** What n8n makes of each file in the `n8n` section of package.json. */
export const CREDENTIALS = [new OutreachServiceApi()];
export const TRIGGERS = [new OutreachServiceTrigger()];
export const ACTIONS = [new OutreachService()];

const sources = [
	...CREDENTIALS.map(({ properties }) => ({ name: 'Credential', properties })),
	...TRIGGERS.map(({ description }) => ({ name: 'Trigger', properties: description.properties })),
	...ACTIONS.map(({ description }) => ({ name: 'Action', properties: description.properties })),
];

/** Every property of the package, including those inside collections. */
export const EVERY_PROPERTY: readonly Found[] = sources.flatMap(({ name, properties }) =>
	properties.flatMap((property) => walk(property, `${name} ${operationOf(property)}`)),
);
