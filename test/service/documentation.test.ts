import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULT_EXAMPLES, FAULT_TEXTS } from '../../tools/service/faults/faultTexts';
import { CONTROL_ROUTES } from '../../tools/service/helpTexts';
import { SWITCH_NAMES } from '../../tools/service/switches';
import { SWITCH_TEXTS } from '../../tools/service/switchTexts';

/** Collapses whitespace, because the formatter pads tables. */
const collapse = (text: string) => text.replace(/\s+/g, ' ');
const documentation = collapse(
	readFileSync(join(__dirname, '../../docs/local-service.md'), 'utf8'),
);

describe('docs/local-service.md', () => {
	it.each(SWITCH_NAMES)('describes the switch %s as --help does', (name) => {
		const [, row = ''] = documentation.split(`| \`${name}\` |`);
		expect(row.split('|')[1]?.trim()).toBe(SWITCH_TEXTS[name]);
	});

	it.each(FAULT_EXAMPLES)(
		'describes the fault $kind as the control page does, with its example',
		(example) => {
			const { kind } = example;
			expect(documentation).toContain(`| \`${kind}\` | ${FAULT_TEXTS[kind]} `);
			expect(documentation).toContain(collapse(JSON.stringify(example)));
		},
	);

	it.each(CONTROL_ROUTES.filter(([route]) => route !== 'GET /'))('lists %s', (route) => {
		expect(documentation).toContain(`\`${route}\``);
	});
});
