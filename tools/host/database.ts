import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { N8nInstallation } from './install';

const run = promisify(execFile);

/** Runs one statement: the Node that n8n runs on brings SQLite. */
const STATEMENT = `
const { DatabaseSync } = require('node:sqlite');
const [path, sql, parameters] = process.argv.slice(1);
const database = new DatabaseSync(path);
database.exec('PRAGMA busy_timeout = 5000');
console.log(JSON.stringify(database.prepare(sql).all(...JSON.parse(parameters))));
database.close();
`;

const LARGEST_ANSWER = 64 * 1024 * 1024;

/** Path of the SQLite database of an n8n with this user folder. */
export const databaseFile = (userFolder: string): string =>
	join(userFolder, '.n8n', 'database.sqlite');

/**
 * Runs one SQL statement on n8n's own database, from outside n8n. Reading does no harm to one that runs; change only
 * what belongs to one that is stopped.
 *
 * @returns the rows
 * @throws when SQLite refuses it, or a row is not of the shape expected
 */
export async function queryDatabase<Row>(
	{ node }: N8nInstallation,
	userFolder: string,
	row: z.ZodType<Row, z.ZodTypeDef, unknown>,
	sql: string,
	parameters: ReadonlyArray<string | number> = [],
): Promise<Row[]> {
	const { stdout } = await run(
		node,
		['--no-warnings', '-e', STATEMENT, databaseFile(userFolder), sql, JSON.stringify(parameters)],
		{ maxBuffer: LARGEST_ANSWER },
	);
	return z.array(row).parse(JSON.parse(stdout));
}
