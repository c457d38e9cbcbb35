/**
 * Any characters, and any URL. fast-check has both (`unit: 'binary'`, `fc.webUrl`), but lists every character of Unicode
 * before it makes the first one, which takes a second in each process.
 */
import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** Characters of all kinds, also unassigned ones and those that control something, but no half of a pair of surrogates. */
export const anyCharacters = fc
	.array(fc.oneof(fc.nat(0x7f), fc.nat(0x10_ffff - SURROGATES)))
	.map((codes) =>
		codes
			.map((code) => String.fromCodePoint(code < FIRST_SURROGATE ? code : code + SURROGATES))
			.join(''),
	);

const segment = fc.stringMatching(/^([\w.~!$&'()*+,;=:@-]|%C3%BC|%20|%2F){0,10}$/);

/** The path of a URL. */
export const anyPath = fc.array(segment).map((parts) => parts.map((part) => `/${part}`).join(''));

/** A query, without the question mark before it. */
export const anyQuery = fc.array(segment).map((parts) => parts.join('?'));

/** A URL without a query. */
export const anyUrl = fc
	.tuple(fc.constantFrom('http', 'https'), fc.domain(), anyPath)
	.map(([protocol, domain, path]) => `${protocol}://${domain}${path}`);
