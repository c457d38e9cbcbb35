import { readFile } from 'node:fs/promises';

/** The path and the last lines of a log, formatted for an error message. */
export async function logTail(file: string, lines = 25): Promise<string> {
	const text = await readFile(file, 'utf8').catch(
		(error: unknown) => `(unreadable: ${String(error)})`,
	);
	const tail = text.trimEnd().split('\n').slice(-lines);
	return [`Log: ${file}`, ...tail.map((line) => `  | ${line}`)].join('\n');
}

/** @returns a function that reads what n8n has logged since this call */
export async function logFromNow({
	server,
}: {
	server: { logFile: string };
}): Promise<() => Promise<string>> {
	const { length } = await readFile(server.logFile, 'utf8');
	return async () => (await readFile(server.logFile, 'utf8')).slice(length);
}
