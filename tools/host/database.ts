import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { N8nInstallation } from './install';

const run = promisify(execFile);

/** Runs one statement with the same SQLite module as n8n: the Node.js of n8n 1 has none. */
const STATEMENT = `
const { Database } = require('sqlite3');
const [path, sql, parameters] = process.argv.slice(1);
const database = new Database(path);
database.configure('busyTimeout', 5000);
database.all(sql, JSON.parse(parameters), (error, rows) => {
	if (error) throw error;
	console.log(JSON.stringify(rows));
	database.close();
});
`;

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The path of n8n's SQLite database in this user folder. */
const databaseFile = (userFolder: string): string => join(userFolder, '.n8n', 'database.sqlite');

/**
 * Runs one SQL statement on n8n's database. Reading is safe while n8n runs; stop n8n before you write.
 *
 * @returns the rows
 * @throws if the statement fails or a row doesn't match the schema
 */
export async function queryDatabase<Row>(
	{ node, folder }: N8nInstallation,
	userFolder: string,
	row: z.ZodType<Row, z.ZodTypeDef, unknown>,
	sql: string,
	parameters: ReadonlyArray<string | number> = [],
): Promise<Row[]> {
	const { stdout } = await run(
		node,
		['-e', STATEMENT, databaseFile(userFolder), sql, JSON.stringify(parameters)],
		{ cwd: folder, maxBuffer: MAX_OUTPUT_BYTES },
	);
	return z.array(row).parse(JSON.parse(stdout));
}

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
