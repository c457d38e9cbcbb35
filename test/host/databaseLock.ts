import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { databaseFile } from './database';
import type { N8nInstallation } from './install';

/** Holds the database's write lock until its input ends: the Node that n8n runs on brings SQLite. */
const HOLDER = `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.argv[1]);
database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
console.log('locked');
process.stdin.on('end', () => { database.exec('ROLLBACK'); database.close(); }).resume();
`;

/**
 * Makes every write of an n8n on SQLite fail (SQLITE_BUSY after a second), as a backup or a second program at the
 * same file does. Reading goes on.
 *
 * @returns what ends it
 * @throws when the lock cannot be had
 */
export async function lockDatabase(
	{ node }: N8nInstallation,
	userFolder: string,
): Promise<() => Promise<void>> {
	const database = databaseFile(userFolder);
	const holder = spawn(node, ['--no-warnings', '-e', HOLDER, database], {
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const ended = once(holder, 'exit');
	const [first] = await Promise.race([
		once(createInterface(holder.stdout), 'line'),
		ended.then(() => [undefined]),
	]);
	if (first !== 'locked') throw new Error(`The database ${database} could not be locked`);
	return async () => {
		holder.stdin.end();
		await ended;
	};
}
