/** Which target URLs are the same, and which only their own machine reaches. */
import { isLocalUrl, isSameUrl } from '../../../nodes/OutreachService/domain/targetUrl';

it.each([
	[true, 'https://N8N.Example.com/webhook/a', 'https://n8n.example.com/webhook/a'],
	[true, 'https://n8n.test:443/webhook/a', 'https://n8n.test/webhook/a'],
	[true, 'https://n8n.test/a?event=*', 'https://n8n.test/a?event=%2A'],
	[true, 'https://n8n.test/%61?event=a', 'https://n8n.test/a?event=a'],
	[true, 'https://N8N.test/%zz/a?event=a', 'https://n8n.test/%zz/a?event=a'],
	[true, 'https://n8n.test/a?event=a#part', 'https://n8n.test/a?event=a'],
	[false, 'https://n8n.test/a', 'http://n8n.test/a'],
	[false, 'https://n8n.test/a', 'https://n8n.test:8443/a'],
	[false, 'https://n8n.test/a', 'https://n8n.test/A'],
	[false, 'https://n8n.test/a%2Fb', 'https://n8n.test/a/b'],
	[false, 'https://n8n.test/a?event=a', 'https://n8n.test/a?event=b'],
	[false, 'https://n8n.test/a?event=a', 'https://n8n.test/a?event=a&x=1'],
	[false, 'not a url', 'not a  url'],
])('That these target URLs are the same is %s: %s and %s', (isSame, one, other) => {
	expect(isSameUrl(one, other)).toBe(isSame);
});

it.each([
	[true, 'http://localhost:5678/webhook/1'],
	[true, 'http://LOCALHOST./webhook/1'],
	[true, 'http://n8n.localhost/'],
	[true, 'http://127.0.0.1:5678/'],
	[true, 'http://0.0.0.0:5678/'],
	[true, 'http://[::1]:5678/'],
	[true, 'http://[::]:5678/'],
	[true, 'http://[::ffff:127.0.0.1]/'],
	[false, 'https://n8n.example.com/webhook/1'],
	[false, 'https://localhost.example.com/'],
	[false, 'http://192.168.1.20/'],
	[false, 'https://[2001:db8::1]/'],
	[false, 'https://[::ffff:8.8.8.8]/'],
	[false, 'localhost'],
])('That only its own machine reaches a URL is %s: %s', (isLocal, url) => {
	expect(isLocalUrl(url)).toBe(isLocal);
});
