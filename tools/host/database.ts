import { execFile } from 'node:child_process';
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
export const databaseFile = (userFolder: string): string =>
	join(userFolder, '.n8n', 'database.sqlite');

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
