/** Finds what an expression that returns nothing leaves in a text (D66): `undefined`, or an empty part. See `template.ts`, too. */
import { decoded } from '../domain/targetUrl';

/**
 * What JavaScript writes in place of a missing value: `'/leads/' + $json.id` becomes `/leads/undefined`. It counts between
 * any characters but letters, digits and spaces: `cam_undefined` and `https://null.example.com`, but not `nullable`.
 */
const LEFT_PART = /(?:^|[^\p{L}\d\s])(?:undefined|null|NaN|\[object \w+\])(?:$|[^\p{L}\d\s])/u;

/** Whether a text has a part that an expression leaves when it returns nothing, also percent-encoded. */
export const hasPartLeftOut = (text: string): boolean => LEFT_PART.test(decoded(text));

/** What to say of a text that {@link hasPartLeftOut}. */
export const LEFT_BY_EXPRESSION =
	'A part of it is undefined, null or NaN, which an expression leaves when it returns nothing. Check the result of each expression in it';

/** Refuses such a text: the parameters for `refine()` of a schema. */
export const NOTHING_LEFT_OUT: [(text: string) => boolean, string] = [
	(text) => !hasPartLeftOut(text),
	LEFT_BY_EXPRESSION,
];

/** Whether a part is blank: encoded, a blank ID is `%20`, and a list of nothing is `%2C`. */
const isBlank = (part: string): boolean => /^[\s,]*$/.test(decoded(part));

/** Whether a segment of a path is blank: `/leads//pause`. A slash may be at its end. */
export const hasBlankSegment = (path: string): boolean =>
	path.replace(/\/$/, '').split('/').slice(1).some(isBlank);

/** Whether a value in a query is blank: `?token=`. A name without an equals sign has no value. */
export const hasBlankValue = (query: string): boolean =>
	query.split('&').some((part) => {
		const [, value] = part.split(/=(.*)/s, 2);
		return value !== undefined && isBlank(value);
	});

/** What to say of a text with a blank part. */
export const BLANK_PART = 'A part of it is empty. Check the result of each expression in it';
