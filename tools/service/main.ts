import { ZodError } from 'zod';
import { greeting, readCommandLine } from './cli';
import { startService } from './startService';

/** `npm run service`: runs the local service until Ctrl-C. */
async function main(): Promise<void> {
	const { options, json } = readCommandLine(process.argv.slice(2));
	const service = await startService(options);
	console.log(greeting(service, json));

	const stop = () => {
		// Without a handler, a second Ctrl-C ends the process immediately.
		process.removeListener('SIGINT', stop);
		process.removeListener('SIGTERM', stop);
		void service.close();
	};
	process.on('SIGINT', stop);
	process.on('SIGTERM', stop);
}

/** One line per problem; for an invalid switch, with its name. */
function explain(error: unknown): string[] {
	if (error instanceof ZodError) {
		return error.issues.map(({ path, message }) => `switch ${path.join('.')}: ${message}`);
	}
	return [error instanceof Error ? error.message : String(error)];
}

main().catch((error: unknown) => {
	for (const line of explain(error)) console.error(`error: ${line}`);
	process.exitCode = 1;
});
