import { Command, InvalidArgumentError } from 'commander';
import type { RunningService, ServiceOptions } from './serviceTypes';
import { describeControlRoutes, describeSwitches } from './helpTexts';

/** What the command line asks for. */
export interface CommandLine {
	options: ServiceOptions;
	/** Print one line of JSON with the addresses instead of text for a person. */
	json: boolean;
}

function wholeNumber(max: number) {
	return (text: string): number => {
		const value = Number(text);
		if (Number.isInteger(value) && value >= 0 && value <= max && text.trim() !== '') return value;
		throw new InvalidArgumentError(`Not a whole number from 0 to ${max}.`);
	};
}

const port = wholeNumber(65_535);
const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** `name=value` as a switch to set; the value is a number or a boolean when it reads as one. */
function readSwitch(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
	const [name = '', value] = text.split(/=(.*)/s);
	if (value === undefined) throw new InvalidArgumentError('Write it as name=value.');
	const isWord = !/^(true|false|\d+(\.\d+)?)$/.test(value);
	const parsed: unknown = isWord ? value : JSON.parse(value);
	return { ...before, [name]: parsed };
}

/** What commander makes of the arguments; what has a default is always there. */
interface Given {
	port: number;
	controlPort: number;
	host: string;
	apiKey?: string[];
	seedHooks: number;
	switch?: Record<string, unknown>;
	json: boolean;
}

function createProgram() {
	return new Command('npm run service --')
		.description(
			'A local stand-in for the outreach service: its API on one port, a control page on another.',
		)
		.option('--port <n>', 'port of the API; 0 takes a free one', port, 4010)
		.option('--control-port <n>', 'port of the control page and routes', port, 4011)
		.option('--api-key <key>', 'a valid API key; can be given several times', collect)
		.option('--seed-hooks <n>', 'webhooks to start with', wholeNumber(1_000_000), 0)
		.option('--host <address>', 'address to listen on', '127.0.0.1')
		.option('--switch <name=value>', 'set a switch; can be given several times', readSwitch)
		.option('--json', 'print the addresses as one line of JSON', false)
		.addHelpText('after', `\n${describeSwitches()}\n\n${describeControlRoutes()}`);
}

/**
 * Reads the arguments after the program's name. Prints and exits when there is something wrong with them, or for `--help`;
 * with `exitOverride` it throws instead, which is what tests want.
 */
export function readCommandLine(args: readonly string[], exitOverride = false): CommandLine {
	const program = createProgram();
	if (exitOverride) program.exitOverride().configureOutput({ writeErr: () => undefined });
	const given = program.parse(args, { from: 'user' }).opts<Given>();
	const { json, apiKey: apiKeys = [], switch: switches = {}, ...options } = given;
	return { options: { ...options, apiKeys, switches }, json };
}

/** All of `--help`. */
export function helpText(): string {
	let text = '';
	createProgram()
		.configureOutput({ writeOut: (part) => (text += part) })
		.outputHelp();
	return text;
}

/** What is printed once the service listens. */
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
		'Ctrl-C stops it.',
	].join('\n');
}
