/** What is a URL, on every version of Node.js. */
import { parseUrl } from '../../../nodes/OutreachService/utils/parseUrl';

it('A URL with letters such as ü is one, however often it is parsed', () => {
	// On Node.js 20, URL.canParse() denies it after some two thousand calls.
	const results = Array.from({ length: 20_000 }, () => parseUrl('https://bücher.example/a')?.host);
	expect(new Set(results)).toEqual(new Set(['xn--bcher-kva.example']));
});

it.each(['', 'n8n', '//n8n.example', 'https://', 'https://host:99999/'])('%j is no URL', (text) => {
	expect(parseUrl(text)).toBeUndefined();
});

it('A path is one together with its base', () => {
	expect(parseUrl('/hooks', 'https://api.example.com/api')?.href).toBe(
		'https://api.example.com/hooks',
	);
});
