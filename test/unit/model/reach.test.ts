import fc from 'fast-check';

import { reachOf } from '../../../nodes/OutreachService/model/reach';

describe('A webhook URL', () => {
	it.each([
		'http://localhost:5678/webhook/1',
		'http://LOCALHOST./webhook/1',
		'http://n8n.localhost/',
		'http://127.0.0.1:5678/',
		'http://0.0.0.0:5678/',
		'http://[::1]:5678/',
		'http://[::]:5678/',
		'http://[::ffff:127.0.0.1]/',
	])('%s can be reached from its own machine only', (url) => {
		expect(reachOf(url)).toBe('machine');
	});

	it.each([
		'http://10.0.0.8:5678/',
		'http://172.16.0.1/',
		'http://172.31.255.255/',
		'http://192.168.1.20/',
		'http://169.254.10.1/',
		'http://100.64.0.1/',
		'http://100.127.255.255/',
		'http://[fc00::1]/',
		'http://[fd12:3456::1]/',
		'http://[fe80::1]/',
		'http://[::ffff:10.0.0.8]/',
		'http://n8n:5678/',
		'http://n8n.local/',
		'http://n8n.corp.internal/',
		'http://n8n.home.arpa/',
	])('%s can be reached from its own network only', (url) => {
		expect(reachOf(url)).toBe('network');
	});

	it.each([
		'https://n8n.example.com/webhook/1',
		'https://localhost.example.com/',
		'https://local.example.com/',
		'https://11.0.0.1/',
		'https://172.15.0.1/',
		'https://172.32.0.1/',
		'https://192.167.0.1/',
		'https://169.253.0.1/',
		'https://100.63.0.1/',
		'https://100.128.0.1/',
		'https://[2001:db8::1]/',
		'https://[::ffff:8.8.8.8]/',
		'https://n8n.example.com./',
	])('%s can be reached from anywhere', (url) => {
		expect(reachOf(url)).toBe('anywhere');
	});

	it('has the same reach however its IPv4 address is written', () => {
		fc.assert(
			fc.property(fc.ipV4(), (address) => {
				const octets = address.split('.').map(Number);
				const number = octets.reduce((sum, octet) => sum * 256 + octet, 0);
				const reach = reachOf(`http://${address}/`);
				expect(reachOf(`http://${number}/`)).toBe(reach);
				expect(reachOf(`http://[::ffff:${address}]/`)).toBe(reach);
			}),
		);
	});

	it('has no reach if it is not a URL', () => {
		expect(reachOf('n8n')).toBeUndefined();
	});
});
