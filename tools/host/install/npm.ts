import { logTail } from '../logTail';
import { spawnGroup } from '../processGroup';

/**
 * Runs npm in a folder and appends its output to `logFile`. npm ends with this process, so that it can't keep writing to
 * the folder during the next install.
 *
 * @throws if npm fails, with the end of the log
 */
export async function npm(args: string[], folder: string, logFile: string): Promise<void> {
	const group = await spawnGroup('npm', args, { env: npmEnvironment(), cwd: folder, logFile });
	const { code, signal } = await group.exited;
	if (code !== 0) {
		const how = signal ?? `exit code ${String(code)}`;
		throw new Error(`npm ${args.join(' ')} failed (${how}).\n${await logTail(logFile)}`);
	}
}

/** Settings that `npm run` passes on from this project. `ignore-scripts`, for one, would disable a rebuild. */
const PROJECT_SETTINGS = /^npm_(package|lifecycle|config_(ignore_scripts|local_prefix|prefix))/i;

function npmEnvironment(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !PROJECT_SETTINGS.test(name)),
	);
}
