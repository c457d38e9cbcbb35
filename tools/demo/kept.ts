/** The folder of `npm run demo -- --keep`, in which a demo can go on the next time. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';

const setupSchema = z.object({
	/** The workflow that the editor opens. */
	workflowId: z.string(),
	/** What an MCP client needs. */
	mcp: z.object({ url: z.string(), token: z.string() }),
	/** The ports of the service, which the credential has in its Base URL. */
	service: z.object({ port: z.number(), controlPort: z.number() }),
});

type Setup = z.infer<typeof setupSchema>;

/**
 * Opens a folder for a demo, and makes it if it is not there. It has n8n's files, the key with which n8n encrypts its
 * credentials, and, once a demo was set up in it, what that has.
 *
 * @throws if the folder has other files, or was left by a demo that was not set up
 */
export async function openKept(path: string) {
	const folder = resolve(path);
	const keyFile = join(folder, 'encryption-key');
	const setupFile = join(folder, 'demo.json');
	const isNew = !existsSync(folder);
	if (!isNew && !existsSync(setupFile)) {
		throw new Error(
			`The folder ${folder} holds no complete demo. Remove it or name another one, then run the command again.`,
		);
	}
	await mkdir(folder, { recursive: true });
	if (isNew) await writeFile(keyFile, randomBytes(24).toString('hex'), { mode: 0o600 });
	return {
		folder,
		/** Settings of n8n. */
		env: { N8N_ENCRYPTION_KEY: await readFile(keyFile, 'utf8') },
		/** What an earlier demo has set up. */
		earlier: isNew ? undefined : setupSchema.parse(JSON.parse(await readFile(setupFile, 'utf8'))),
		remember: async (setup: Setup): Promise<void> => {
			await writeFile(setupFile, JSON.stringify(setupSchema.parse(setup)));
		},
	};
}
