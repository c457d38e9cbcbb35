/** The operation *Make an API Request*. */
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { isTooLarge } from '../../api/body';
import type { RouteRequest } from '../../api/client';
import type { HttpResponse } from '../../api/http';
import { decoded } from '../../domain/targetUrl';
import { BLANK_PART, hasBlankSegment } from '../../parameters/leftOut';
import { notice } from '../../parameters/notice';
import { oneOf, text } from '../../parameters/values';
import { isJsonObject, parseJson } from '../../utils/json';
import type { Item, Operation } from '../operation';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The maximum number of characters of a path and of a query; a server may accept less. */
const LONGEST = 2_000;

/** Of a JSON text: a quotation mark, an escaped character in a text, or a number. */
const JSON_TOKEN = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/** Whether a value has a number in it that JavaScript cannot hold exactly, or not at all: `1e999` is Infinity. */
const hasInexact = (value: unknown): boolean =>
	typeof value === 'number'
		? Math.abs(value) > Number.MAX_SAFE_INTEGER
		: typeof value === 'object' && value !== null && Object.values(value).some(hasInexact);

/**
 * A JSON text in which each integer that JavaScript cannot hold exactly is a text: 7615917337495251231 would become
 * 7615917337495251000. All else stays as it is.
 */
export function withExactNumbers(json: string): string {
	if (!/\d{16}/.test(json)) return json;
	let isInText = false;
	return json.replace(JSON_TOKEN, (token) => {
		if (token === '"') isInText = !isInText;
		const isInteger = !isInText && /^-?\d+$/.test(token);
		return isInteger && hasInexact(Number(token)) ? `"${token}"` : token;
	});
}

/**
 * A path below the Base URL (D99), never a URL. An empty part is refused: an expression may have left it, and the path would
 * name another route, such as that of a list in place of one element.
 */
export const pathSchema = text(LONGEST)
	.refine(
		(path) => /^\/(?!\/)/.test(path),
		'It must be a path that begins with one slash, such as /schema/people: the Base URL of the credential comes before it',
	)
	.refine((path) => !/[?#]/.test(path), "It contains ? or #. Enter the query in 'Query Parameters'")
	.refine(
		(path) =>
			!/[\s\\\p{Cc}\p{Surrogate}]/u.test(path) && (!path.includes('%') || decoded(path) !== path),
		'It contains a space, a backslash, or a % that does not begin an encoded character such as %20. Encode values in it with encodeURIComponent()',
	)
	.refine((path) => !hasBlankSegment(path), BLANK_PART)
	// Some servers decode a path once more than they should, or leave out what follows a semicolon.
	.refine(
		(path) => !/[/\\]\.{1,2}($|[/\\;])/.test(decoded(decoded(path))),
		'It must not contain . or .. as a part',
	);

/** Whether a value has one plain form in a query. */
const isQueryValue = (value: unknown): value is string | number | boolean =>
	typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);

const entrySchema = z.object({ name: text(LONGEST), value: z.unknown() });

/**
 * The encoded query with its question mark; empty without parameters. A parameter without a value is left out.
 * @throws NodeOperationError that names the parameter
 */
function readQuery(item: Item): string {
	const query = new URLSearchParams();
	const entries = item.parameters.valueAt('queryParameters.parameters');
	for (const entry of Array.isArray(entries) ? entries : []) {
		const { name, value: given } = item.parameters.parse('queryParameters', entrySchema, entry);
		const refuse = (problem: string): Error =>
			item.parameters.parameterError('queryParameters', `The value of '${name}': ${problem}`);
		const value = given ?? '';
		if (!isQueryValue(value)) throw refuse('It must be text, a number, a date, or true or false');
		if (hasInexact(value)) throw refuse(NOT_EXACT);
		if (value !== '') query.append(name, String(value));
	}
	const encoded = query.toString();
	if (encoded.length > LONGEST) {
		throw item.parameters.parameterError(
			'queryParameters',
			`They have more than ${LONGEST} characters`,
		);
	}
	return encoded === '' ? '' : `?${encoded}`;
}

/** A text with a quotation mark or a line break breaks the JSON around it. */
const NO_JSON =
	'It is not valid JSON. To put the value of an expression into it, write {{ JSON.stringify($json.value) }} without quotation marks around it';

const NOT_EXACT =
	'It has a number beyond 9007199254740991, which n8n cannot hold exactly. Write it as text, in quotation marks';

/** The body; undefined when none is entered. @throws NodeOperationError when it is not a JSON object or a list */
function readBody(item: Item): object | undefined {
	const refuse = (reason: string): Error => item.parameters.parameterError('body', reason);
	const json = item.parameters.jsonAt('body');
	if (json === '') return undefined;
	// Thousands of levels would overflow the stack, perhaps only after the request was sent.
	if (isTooLarge(json)) throw refuse('It has too many values or levels. Send less at a time');
	const value = parseJson(json);
	if (value === undefined) throw refuse(NO_JSON);
	if (typeof value !== 'object' || value === null)
		throw refuse('It must be a JSON object or a list');
	if (hasInexact(value)) throw refuse(NOT_EXACT);
	return value;
}

/** The items of a response: one for each element of a list, and one for anything else. */
function itemsOf(item: Item, { status, text: body }: HttpResponse): IDataObject[] {
	if (body.trim() === '') return [{ status }];
	const value = parseJson(withExactNumbers(body));
	if (value === undefined) {
		if (/^\s*<(!doctype html|html)/i.test(body)) item.hints.add(IS_PAGE);
		return [{ text: body }];
	}
	return Array.isArray(value)
		? value.map((element) => itemOf(element, status))
		: [itemOf(value, status)];
}

const IS_PAGE =
	'A web page came. If you expected data, check the path and the Base URL: the page may be a login or an error.';

/** An item for a value: an object as it is, anything else inside an object. */
function itemOf(value: unknown, status: number): IDataObject {
	if (isJsonObject(value)) return value;
	if (typeof value === 'string') return { text: value };
	if (value === null) return { status };
	return { value };
}

/** Sends a request to any route of the service (D99). */
export const request: Operation = {
	value: 'request',
	name: 'Make an API Request',
	action: 'Make an API request',
	description: 'Send a request to any other route of your service',
	builderHint: {
		propertyHint:
			"For routes that have no operation of their own. 'path' begins with a slash and comes after the Base URL of the credential, which ends in /api: never a whole URL. A list becomes one item for each element. Retries and the rate limit are built in: no Wait node is needed.",
	},
	properties: [
		notice(
			'requestNotice',
			"Unlike 'Custom API Call', which leads to the HTTP Request node, this keeps to the rate limit, retries, and explains errors.",
		),
		{
			displayName: 'Method',
			name: 'method',
			type: 'options',
			default: 'GET',
			options: [
				{ name: 'DELETE', value: 'DELETE', description: 'Delete something' },
				{ name: 'GET', value: 'GET', description: 'Read something, and change nothing' },
				{ name: 'PATCH', value: 'PATCH', description: 'Change some fields of something' },
				{ name: 'POST', value: 'POST', description: 'Create something, or start an action' },
				{ name: 'PUT', value: 'PUT', description: 'Replace something' },
			],
			description: 'The method that the documentation of the service names for the request',
		},
		{
			displayName: 'Path',
			name: 'path',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. /schema/people',
			description:
				'The path that the documentation of your service names. It begins with a slash, and comes after the Base URL of the credential.',
		},
		{
			displayName: 'Query Parameters',
			name: 'queryParameters',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add parameter',
			default: {},
			description: 'The parameters that come after the question mark of the URL',
			options: [
				{
					displayName: 'Parameter',
					name: 'parameters',
					values: [
						{
							displayName: 'Name',
							name: 'name',
							type: 'string',
							default: '',
							placeholder: 'e.g. limit',
							description: 'The name of the parameter',
						},
						{
							displayName: 'Value',
							name: 'value',
							type: 'string',
							default: '',
							placeholder: 'e.g. 50',
							description: 'The value of the parameter, which the node encodes for you',
						},
					],
				},
			],
		},
		{
			displayName: 'Body',
			name: 'body',
			type: 'json',
			default: '',
			placeholder: 'e.g. {"reason": "replied"}',
			description: 'The JSON that is sent with the request',
			displayOptions: { show: { method: ['DELETE', 'PATCH', 'POST', 'PUT'] } },
		},
	],
	async run(item) {
		const method = item.parameters.read('method', oneOf(METHODS).default('GET'));
		const path = item.parameters.read('path', pathSchema);
		const routeRequest: RouteRequest = {
			method,
			path: `${path}${readQuery(item)}`,
			body: method === 'GET' ? undefined : readBody(item),
		};
		const response = await item.client.requestRoute(routeRequest);
		if (method !== 'GET') item.changes.done.push(`${method} ${path}`.slice(0, 100));
		return itemsOf(item, response);
	},
};
