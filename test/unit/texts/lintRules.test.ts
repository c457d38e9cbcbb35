/** Every rule of n8n's verification applies to what ships, or `eslint.config.mjs` says beside it why not. */
import { execFileSync } from 'node:child_process';
import { z } from 'zod';
import { read, repository } from './everyDocument';

/** Prints the rules of n8n's strict set, and those that are on for each file. ESLint and the rules are ES modules. */
const SCRIPT = `
	import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
	import { ESLint } from 'eslint';
	const eslint = new ESLint();
	const on = {};
	for (const file of process.argv.slice(1)) {
		const { rules } = await eslint.calculateConfigForFile(file);
		on[file] = Object.keys(rules).filter((rule) => rules[rule][0] > 0);
	}
	const strict = Object.keys(n8nCommunityNodesPlugin.configs.recommended.rules);
	console.log(JSON.stringify({ strict, on }));
`;

const FILES = [
	'nodes/OutreachService/OutreachService.node.ts',
	'nodes/OutreachService/api/client.ts',
	'credentials/OutreachServiceApi.credentials.ts',
	'package.json',
];

test("Every rule of n8n's strict set is on for what ships", () => {
	const printed = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT, ...FILES], {
		cwd: repository,
		encoding: 'utf8',
	});
	const { strict, on } = z
		.object({ strict: z.array(z.string()), on: z.record(z.array(z.string())) })
		.parse(JSON.parse(printed));
	expect(strict.length).toBeGreaterThan(40);
	for (const file of FILES) {
		expect([file, strict.filter((rule) => !on[file]?.includes(rule))]).toEqual([file, []]);
	}
});

test('A rule for what ships is switched off only with the reason beside it', () => {
	const config = read('eslint.config.mjs');
	const off = [...config.matchAll(/'n8n-nodes-base\/[\w-]+': 'off'/g)];
	const reasons = [
		...config.matchAll(/\/\/ Off in n8n's scan too: .+\n(?:\s+'n8n-\S+': 'off',\n)+/g),
	];
	const withReason = reasons.flatMap(([block]) => block.match(/'off'/g) ?? []);
	expect(off.length).toBeGreaterThan(0);
	expect(withReason).toHaveLength(off.length);
});
