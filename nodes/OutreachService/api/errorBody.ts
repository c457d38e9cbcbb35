/** Errors as servers write them in JSON: the spec of the API does not say which form it uses (§7). */
import { z } from 'zod';

import { parseJson } from '../utils/json';

/** The maximum number of characters of a body that are read: a longer one is no error text. */
const LONGEST_ERROR = 1_000;
const LONGEST_TEXT = 200;

const objectSchema = z.record(z.unknown());

const errorSchema = z
	.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)])
	.transform((text) => [text])
	.catch([]);

const textsOf = ({ error, message, detail }: Record<string, unknown>): string[] =>
	[error, message, detail].flatMap((value) => errorSchema.parse(value));

/** What a body says, as one or several texts: the fields of a JSON object that hold an error, otherwise its beginning. */
export function errorTextsIn(body: string): string[] {
	const text = body.slice(0, LONGEST_ERROR);
	const isObject = text.trimStart().startsWith('{');
	const object = isObject ? objectSchema.safeParse(parseJson(text)).data : undefined;
	return object ? textsOf(object) : [text.slice(0, LONGEST_TEXT)];
}

/** What stands beside the text of an error. */
const COMPANIONS = [
	...['error', 'errors', 'message', 'detail', 'details', 'title', 'type', 'code', 'status'],
	...['statusCode', 'success', 'ok', 'path', 'instance', 'timestamp', 'requestId', 'traceId'],
];

/** Whether the JSON of a response is an error and nothing else. A gateway may send it with a 2xx. */
export function isErrorBody(json: unknown): boolean {
	const object = objectSchema.safeParse(json).data;
	if (!object) return false;
	const { errors, success, ok } = object;
	const isError =
		textsOf(object).length > 0 || Array.isArray(errors) || success === false || ok === false;
	const others = Object.entries(object).filter(([key]) => !COMPANIONS.includes(key));
	return isError && others.every(([, value]) => value === null);
}
