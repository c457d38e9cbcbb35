import { join, resolve } from 'node:path';
import { ESLint } from 'eslint';
import { z } from 'zod';

const repository = resolve(__dirname, '../..');

/** What ships: a file of each kind. */
const SHIPPING = [
	'nodes/OutreachService/OutreachService.node.ts',
	'nodes/OutreachService/api/client.ts',
	'credentials/OutreachServiceApi.credentials.ts',
	'package.json',
];

const pluginSchema = z.object({
	n8nCommunityNodesPlugin: z.object({
		configs: z.object({ recommended: z.object({ rules: z.record(z.unknown()) }) }),
	}),
});
const configSchema = z.object({ rules: z.record(z.tuple([z.number()]).rest(z.unknown())) });

/**
 * Compares `eslint.config.mjs` with n8n's strict set, so that `npm run lint` finds what n8n would find.
 *
 * @returns a description of each rule that is off for what ships
 */
export async function rulesSwitchedOff(): Promise<string[]> {
	// An ES module without types for CommonJS.
	const path: string = '@n8n/eslint-plugin-community-nodes';
	const { n8nCommunityNodesPlugin } = pluginSchema.parse(await import(path));
	const strict = Object.keys(n8nCommunityNodesPlugin.configs.recommended.rules);
	const eslint = new ESLint({ cwd: repository });
	const problems = SHIPPING.map(async (file) => {
		const config: unknown = await eslint.calculateConfigForFile(join(repository, file));
		const { rules } = configSchema.parse(config);
		return strict
			.filter((rule) => (rules[rule]?.[0] ?? 0) === 0)
			.map((rule) => `n8n's rule ${rule} is off for ${file}.`);
	});
	return (await Promise.all(problems)).flat();
}
