/** `npm run service`: runs the local service until Ctrl-C. */
import { Command, InvalidArgumentError } from 'commander';
import { ZodError } from 'zod';
import { textOf } from './http';
import { startService, type RunningService, type ServiceOptions } from './startService';
import { SWITCHES } from './switches';

function port(text: string): number {
	if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
	throw new InvalidArgumentError('Must be a whole number from 0 to 65535.');
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** Parses `name=value`. A value that reads as a number or a boolean becomes one. */
function readSwitch(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
	const [name = '', value] = text.split(/=(.*)/s);
	if (value === undefined) throw new InvalidArgumentError('Must be in the form name=value.');
	const isNumber = /^\d+(\.\d+)?$/.test(value);
	return { ...before, [name]: isNumber ? Number(value) : value };
}

/** Every switch with its values, default first, and what it decides. */
function describeSwitches(): string {
	const lines = SWITCHES.map(({ name, values, initial, text }) => {
		const choice = values ? values.join(' | ') : `${initial} (number)`;
		return `  ${name}=${choice}\n      ${text}`;
	});
	return ['Switches (default first):', ...lines].join('\n');
}

/** Parses the arguments after the program's name. For `--help` and invalid ones, prints a message and exits the process. */
export function readCommandLine(args: readonly string[]): ServiceOptions {
	const program = new Command('npm run service --')
		.description('Runs a local outreach service: the API on one port, a control page on another.')
		.option('--port <n>', 'port of the API; 0 picks a free one', port, 4010)
		.option('--control-port <n>', 'port of the control page and API', port, 4011)
		.option('--api-key <key>', 'API key to accept; can be repeated', collect)
		.option('--host <address>', 'address to listen on', '127.0.0.1')
		.option('--switch <name=value>', 'set a switch; can be repeated', readSwitch)
		.addHelpText('after', `\n${describeSwitches()}`);
	const {
		apiKey: apiKeys = [],
		switch: switches = {},
		...options
	} = program.parse(args, { from: 'user' }).opts<{
		port: number;
		controlPort: number;
		host: string;
		apiKey?: string[];
		switch?: Record<string, unknown>;
	}>();
	return { ...options, apiKeys, switches };
}

/** The message to print once the service is listening. */
const greeting = ({ baseUrl, controlUrl, apiKey }: RunningService): string =>
	`API           ${baseUrl}
API key       ${apiKey}
Control page  ${controlUrl}

Send an event from another terminal:
  curl -X POST ${controlUrl}/events -H 'content-type: application/json' -d '{"type":"emailsReplied"}'

Press Ctrl-C to stop.`;

async function main(): Promise<void> {
	const service = await startService(readCommandLine(process.argv.slice(2)));
	console.log(greeting(service));
	// A second Ctrl-C ends the process immediately.
	for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void service.close());
}

/** For an invalid switch, with its name. */
const explain = (error: unknown): string => {
	if (error instanceof ZodError) return `switch ${textOf(error)}`;
	return error instanceof Error ? error.message : String(error);
};

if (require.main === module) {
	main().catch((error: unknown) => {
		console.error(`error: ${explain(error)}`);
		process.exitCode = 1;
	});
}
