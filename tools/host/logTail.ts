import { readFile } from 'node:fs/promises';
import type { N8nServer } from './n8nServer';

/** The last lines of a log, indented, headed by the log's path: what to put into an error message. */
export async function logTail(file: string, lines = 25): Promise<string> {
	const text = await readFile(file, 'utf8').catch(
		(error: unknown) => `(unreadable: ${String(error)})`,
	);
	const tail = text.trimEnd().split('\n').slice(-lines);
	return [`Log: ${file}`, ...tail.map((line) => `  | ${line}`)].join('\n');
}

/** Gives what n8n has written into its log since this was called. */
export async function logFromNow({
	server,
}: {
	server: Pick<N8nServer, 'logFile'>;
}): Promise<() => Promise<string>> {
	const { length } = await readFile(server.logFile, 'utf8');
	return async () => (await readFile(server.logFile, 'utf8')).slice(length);
}
