import { logTail } from '../logTail';
import { spawnGroup } from '../processGroup';

/**
 * Runs npm in a folder, its output appended to `logFile`. It dies with this process: left alone, it
 * would go on writing into a folder that the next install believes to have for itself.
 *
 * @throws with the end of the log when npm fails
 */
export async function npm(args: string[], folder: string, logFile: string): Promise<void> {
	const group = await spawnGroup('npm', args, { env: ownEnvironment(), cwd: folder, logFile });
	const { code, signal } = await group.exited;
	if (code !== 0) {
		const how = signal ?? `exit code ${String(code)}`;
		throw new Error(`npm ${args.join(' ')} failed (${how}).\n${await logTail(logFile)}`);
	}
}

/** What `npm run` sets for its own project, `ignore-scripts` among it, would turn a rebuild into nothing. */
const OF_ANOTHER_PROJECT = /^npm_(package|lifecycle|config_(ignore_scripts|local_prefix|prefix))/i;

function ownEnvironment(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !OF_ANOTHER_PROJECT.test(name)),
	);
}
