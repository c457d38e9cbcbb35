import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { databaseFile, type N8nInstallation } from '../../tools/host';

/** Holds the database's write lock until stdin ends, with the same SQLite module as n8n. */
const HOLDER = `
const { Database } = require('sqlite3');
const database = new Database(process.argv[1]);
const check = (error) => { if (error) throw error; };
database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE', (error) => { check(error); console.log('locked'); });
process.stdin.on('end', () => { database.exec('ROLLBACK', check); database.close(check); }).resume();
`;

/**
 * Makes every write of an n8n on SQLite fail (SQLITE_BUSY after a second), as a backup or another program on the same
 * file would. Reads still work.
 *
 * @returns a function that releases the lock
 * @throws if the lock can't be acquired
 */
export async function lockDatabase(
	{ node, folder }: N8nInstallation,
	userFolder: string,
): Promise<() => Promise<void>> {
	const database = databaseFile(userFolder);
	const holder = spawn(node, ['-e', HOLDER, database], {
		cwd: folder,
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const ended = once(holder, 'exit');
	const first = await Promise.race([once(holder.stdout, 'data'), ended]);
	if (!String(first[0]).startsWith('locked')) {
		throw new Error(`The database ${database} could not be locked`);
	}
	return async () => {
		holder.stdin.end();
		await ended;
	};
}
