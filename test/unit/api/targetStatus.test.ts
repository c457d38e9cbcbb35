import { judge, whyUnreachable } from '../../../nodes/OutreachService/api/targetStatus';

const responded = (status: number, headers = {}, text = '') =>
	judge({ kind: 'response', status, headers, text, isCut: false });

it.each([
	[299, 'The host responds, but does not say'],
	[300, 'It redirects'],
	[399, 'It redirects'],
	[400, 'The host responds, but does not say'],
	[403, 'It requires a login'],
	[429, 'It is limiting requests'],
	[500, 'The host, or a proxy in front of it, is not working'],
])('A target URL that responds with %d and nothing else is unknown: %s', (status, because) => {
	const { target, detail } = responded(status);
	expect(target).toBe('unknown');
	expect(detail.startsWith(because)).toBe(true);
	expect(detail).toContain(`(status ${status}).`);
});

it("Only n8n's own list, with status 204, says that no webhook is there", () => {
	const list = { 'access-control-allow-methods': 'OPTIONS' };
	const headers = { ...list, etag: 'W/"2-vyGp6PvFo4RvsFtPoIWeCReyIC8"' };
	expect(responded(204, headers).target).toBe('gone');
	expect(responded(200, headers).target).toBe('unknown');
	expect(responded(204, list).target).toBe('unknown');
});

it("Only n8n's own 404 says that a test run is over", () => {
	const text = '{"code":404,"message":"The requested webhook \\"4f1c\\" is not registered."}';
	expect(responded(404, {}, text).target).toBe('gone');
	expect(responded(500, {}, text).target).toBe('unknown');
	expect(responded(404, {}, `[${text}]`).target).toBe('unknown');
});

it.each([
	['ENOTFOUND', 'The host could not be found'],
	['EAI_AGAIN', 'The host could not be found'],
	['ECONNREFUSED', 'Nothing is listening there'],
	['ETIMEDOUT', 'There was no response within 5 seconds'],
	['CERT_HAS_EXPIRED', 'No secure connection could be made'],
	['ECONNRESET', 'The connection was cut off'],
])('A target URL that cannot be reached says why: %s', (code, because) => {
	expect(whyUnreachable(code, 5_000)).toBe(`${because} (${code}).`);
});
