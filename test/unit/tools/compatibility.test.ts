/** The table of compatibility says what has been proved, and CI proves it again. */
import { z } from 'zod';
import {
	compatibilityRows,
	proved,
	withRow,
	type CompatibilityRow,
} from '../../../tools/package/compatibility';
import { read } from '../texts/everyDocument';

const ROW: CompatibilityRow = {
	n8n: '2.40.7',
	node: '24.21.0',
	mode: 'one process',
	engine: 'default',
	command: 'npm run test:e2e',
	result: '140 tests passed',
	date: '2026-11-24',
};

describe('A row of the table', () => {
	test('takes the place of the one about the same', () => {
		const newer = { ...ROW, result: '141 tests passed', date: '2026-11-25' };
		expect(withRow([ROW], newer)).toEqual([newer]);
	});

	test('takes the place of one about an earlier version of the same line of n8n', () => {
		const newer = { ...ROW, n8n: '2.40.10', node: '24.22.0' };
		expect(withRow([ROW], newer)).toEqual([newer]);
	});

	test.each<Partial<CompatibilityRow>>([
		{ n8n: '2.41.1' },
		{ mode: 'queue mode' },
		{ engine: '2.0' },
		{ command: 'N8N_USE_WORKFLOW_PUBLICATION_SERVICE=false npm run test:e2e' },
	])('stands beside one with another %j, in a fixed order', (other) => {
		const second = { ...ROW, ...other };
		expect(withRow([ROW], second)).toHaveLength(2);
		expect(withRow([ROW], second)).toEqual(withRow([second], ROW));
	});
});

describe('With COMPATIBILITY=check', () => {
	beforeEach(() => {
		process.env.COMPATIBILITY = 'check';
	});
	afterEach(() => {
		delete process.env.COMPATIBILITY;
	});

	test('a command succeeds that has found what the table says', () => {
		for (const row of compatibilityRows())
			expect(() => {
				proved(row);
			}).not.toThrow();
	});

	test('a command fails that has run with another n8n', () => {
		expect(() => {
			proved({ ...ROW, n8n: '99.0.0' });
		}).toThrow('n8n 99.0.0, Node.js 24');
	});
});

const pinSchema = z.object({ dependencies: z.object({ n8n: z.string() }) });

/** The pinned versions of n8n. */
const pins = ['n8n-1', 'n8n-2', 'n8n-newest'].map(
	(name) => pinSchema.parse(JSON.parse(read(`tools/host/${name}/package.json`))).dependencies.n8n,
);

test('The table has only pinned versions of n8n, each proved by a command of CI', () => {
	const ci = `${read('.github/workflows/ci.yml')}${read('.github/workflows/nightly.yml')}`;
	for (const { n8n, command } of compatibilityRows()) {
		expect(pins).toContain(n8n);
		expect(ci).toContain(command.replace(/^\S+=\S+ /, ''));
	}
});

test('The README names the lines of n8n that are pinned', () => {
	const lines = pins.map((version) => version.split('.').slice(0, 2).join('.')).sort();
	const readme = read('README.md');
	const [, badge = ''] = /!\[n8n ([\d., and]+)\]/.exec(readme) ?? [];
	const [, section = ''] = readme.split('## Compatibility');
	const [inText = ''] = section.trim().split('\n');
	for (const text of [badge, inText.replaceAll(/Node\.js [\d.]+|engine [\d.]+/g, '')])
		expect([...new Set(text.match(/\d+\.\d+/g))].sort()).toEqual(lines);
});
