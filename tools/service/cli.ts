import { Command, InvalidArgumentError } from 'commander';
import type { RunningService, ServiceOptions } from './startService';
import { SWITCHES } from './switches';

/** The parsed command line. */
export interface CommandLine {
	options: ServiceOptions;
	/** Print the URLs and the API key as one line of JSON. */
	json: boolean;
}

function port(text: string): number {
	if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
	throw new InvalidArgumentError('Must be a whole number from 0 to 65535.');
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** Parses `name=value`. A value that reads as a number or a boolean becomes one. */
function readSwitch(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
	const [name = '', value] = text.split(/=(.*)/s);
	if (value === undefined) throw new InvalidArgumentError('Must be in the form name=value.');
	const isText = !/^(true|false|\d+(\.\d+)?)$/.test(value);
	const parsed: unknown = isText ? value : JSON.parse(value);
	return { ...before, [name]: parsed };
}

/** The options as commander parses them. */
interface ParsedOptions {
	port: number;
	controlPort: number;
	host: string;
	apiKey?: string[];
	switch?: Record<string, unknown>;
	json: boolean;
}

function createProgram() {
	return new Command('npm run service --')
		.description('Runs a local outreach service: the API on one port, a control page on another.')
		.option('--port <n>', 'port of the API; 0 picks a free one', port, 4010)
		.option(
			'--control-port <n>',
			'port of the control page and API; 0 picks a free one',
			port,
			4011,
		)
		.option('--api-key <key>', 'API key to accept; can be repeated', collect)
		.option('--host <address>', 'address to listen on', '127.0.0.1')
		.option('--switch <name=value>', 'set a switch; can be repeated', readSwitch)
		.option('--json', 'print the URLs and the API key as one line of JSON', false)
		.addHelpText('after', `\n${describeSwitches()}`);
}

/** Every switch with its values, default first, and what it decides. */
function describeSwitches(): string {
	const lines = SWITCHES.map(({ name, values, initial, text }) => {
		const choice = values ? values.join(' | ') : `${initial} (number)`;
		return `  ${name}=${choice}\n      ${text}`;
	});
	return ['Switches (default first):', ...lines].join('\n');
}

/**
 * Parses the arguments after the program's name. For `--help` and invalid arguments it prints a message and exits the
 * process, or throws if `exitOverride` is set.
 */
export function readCommandLine(args: readonly string[], exitOverride = false): CommandLine {
	const program = createProgram();
	if (exitOverride) program.exitOverride().configureOutput({ writeErr: () => undefined });
	const given = program.parse(args, { from: 'user' }).opts<ParsedOptions>();
	const { json, apiKey: apiKeys = [], switch: switches = {}, ...options } = given;
	return { options: { ...options, apiKeys, switches }, json };
}

/** The output of `--help`. */
export function helpText(): string {
	let text = '';
	createProgram()
		.configureOutput({ writeOut: (part) => (text += part) })
		.outputHelp();
	return text;
}

/** The message to print once the service is listening. */
export function greeting({ baseUrl, controlUrl, apiKey }: RunningService, json: boolean): string {
	if (json) return JSON.stringify({ baseUrl, controlUrl, apiKey });
	return [
		`API           ${baseUrl}`,
		`API key       ${apiKey}`,
		`Control page  ${controlUrl}`,
		'',
		'Send an event from another terminal:',
		`  curl -X POST ${controlUrl}/events -H 'content-type: application/json' -d '{"type":"emailsReplied"}'`,
		'',
		'Press Ctrl-C to stop.',
	].join('\n');
}
