import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { logTail } from '../logTail';

/**
 * Runs npm in a folder, its output appended to `logFile`.
 *
 * @throws with the end of the log when npm fails
 */
export async function npm(args: string[], folder: string, logFile: string): Promise<void> {
	const log = openSync(logFile, 'a');
	const child = spawn('npm', args, {
		cwd: folder,
		stdio: ['ignore', log, log],
		env: ownEnvironment(),
	});
	closeSync(log);
	// Rejects when npm cannot be started at all.
	await once(child, 'exit');
	if (child.exitCode !== 0) {
		const how = child.signalCode ?? `exit code ${String(child.exitCode)}`;
		throw new Error(`npm ${args.join(' ')} failed (${how}).\n${await logTail(logFile)}`);
	}
}

/**
 * `npm run` hands the settings of its own project down as variables, among them `ignore-scripts`,
 * which would turn a rebuild into nothing. The user's own settings are in their .npmrc and stay.
 */
function ownEnvironment(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(process.env).filter(
			([name]) =>
				!/^npm_(package|lifecycle|config_(ignore_scripts|local_prefix|prefix))/i.test(name),
		),
	);
}
