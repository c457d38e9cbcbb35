import { actionProperties } from '../../../nodes/OutreachService/actions';
import { labelsOf } from '../../../nodes/OutreachService/model/labels';
import { triggerProperties } from '../../../nodes/OutreachService/trigger/description/properties';
import { EVERY_PROPERTY } from '../texts/everyProperty';

it.each([
	['Trigger', triggerProperties],
	['Action', actionProperties],
])(
	'There is a label for every parameter of a node, and for nothing else: %s',
	(node, properties) => {
		const labels = labelsOf(properties);
		const parameters = EVERY_PROPERTY.filter(({ path }) => path.startsWith(node));
		expect(parameters.length).toBeGreaterThan(10);
		for (const { property } of parameters) expect(labels.get(property.name)).toMatch(/\S/);
		expect(labels.size).toBe(new Set(parameters.map(({ property }) => property.name)).size);
	},
);
