/**
 * Any characters, and any URL. fast-check has both (`unit: 'binary'`, `fc.webUrl`), but lists every character of Unicode
 * before it makes the first one, which takes a second in each process.
 */
import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** Any character but half of a pair of surrogates. */
const character = fc
	.oneof(fc.nat(0x7f), fc.nat(0x10_ffff - SURROGATES))
	.map((code) => String.fromCodePoint(code < FIRST_SURROGATE ? code : code + SURROGATES));

/** Characters of all kinds, also unassigned ones and those that control something. */
export const anyCharacters = fc.array(character).map((characters) => characters.join(''));

const segment = fc
	.array(
		fc.oneof(
			{
				weight: 10,
				arbitrary: fc.constantFrom(...Array.from("abcxyzABCXYZ0189-._~!$&'()*+,;=:@")),
			},
			{ weight: 1, arbitrary: character.map(encodeURIComponent) },
		),
	)
	.map((characters) => characters.join(''));

/** The path of a URL. */
export const anyPath = fc
	.array(segment.map((text) => `/${text}`))
	.map((segments) => segments.join(''));

/** A query, without the question mark before it. */
export const anyQuery = fc.array(segment).map((parts) => parts.join('?'));

/** A URL without a query. */
export const anyUrl = fc
	.tuple(fc.constantFrom('http', 'https'), fc.domain(), anyPath)
	.map(([protocol, domain, path]) => `${protocol}://${domain}${path}`);
