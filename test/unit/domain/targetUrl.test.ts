/** Which target URLs are the same, and which only their own machine reaches. */
import { isLocalUrl, isSameUrl } from '../../../nodes/OutreachService/domain/targetUrl';

describe('Target URLs', () => {
	it.each([
		['https://N8N.Example.com/webhook/a', 'https://n8n.example.com/webhook/a'],
		['https://n8n.test:443/webhook/a', 'https://n8n.test/webhook/a'],
		['https://n8n.test/a?event=*', 'https://n8n.test/a?event=%2A'],
		['https://n8n.test/%61?event=a', 'https://n8n.test/a?event=a'],
		['https://N8N.test/%zz/a?event=a', 'https://n8n.test/%zz/a?event=a'],
		['https://n8n.test/a?event=a#part', 'https://n8n.test/a?event=a'],
	])('%s and %s count as the same', (one, other) => {
		expect(isSameUrl(one, other)).toBe(true);
	});

	it.each([
		['https://n8n.test/a', 'http://n8n.test/a'],
		['https://n8n.test/a', 'https://n8n.test:8443/a'],
		['https://n8n.test/a', 'https://n8n.test/A'],
		['https://n8n.test/a%2Fb', 'https://n8n.test/a/b'],
		['https://n8n.test/a?event=a', 'https://n8n.test/a?event=b'],
		['https://n8n.test/a?event=a', 'https://n8n.test/a?event=a&x=1'],
		['not a url', 'not a  url'],
	])('%s and %s count as different', (one, other) => {
		expect(isSameUrl(one, other)).toBe(false);
	});
});

describe('A URL that only its own machine reaches', () => {
	it.each([
		'http://localhost:5678/webhook/1',
		'http://LOCALHOST./webhook/1',
		'http://n8n.localhost/',
		'http://127.0.0.1:5678/',
		'http://0.0.0.0:5678/',
		'http://[::1]:5678/',
		'http://[::]:5678/',
		'http://[::ffff:127.0.0.1]/',
	])('%s is one', (url) => {
		expect(isLocalUrl(url)).toBe(true);
	});

	it.each([
		'https://n8n.example.com/webhook/1',
		'https://localhost.example.com/',
		'http://192.168.1.20/',
		'https://[2001:db8::1]/',
		'https://[::ffff:8.8.8.8]/',
		'localhost',
	])('%s is none', (url) => {
		expect(isLocalUrl(url)).toBe(false);
	});
});
