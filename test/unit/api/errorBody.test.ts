import { errorTextsIn, isErrorBody } from '../../../nodes/OutreachService/api/errorBody';

it.each([
	{ error: 'Unauthorized' },
	{ error: 'Unauthorized', path: '/schema/people' },
	{ error: { code: 7, message: 'No' }, requestId: 'r1' },
	{ timestamp: 1, status: 500, error: 'Internal Server Error', path: '/' },
	{ type: 'about:blank', title: 'Not found', status: 404, detail: 'No such path' },
	{ success: false, message: 'No', data: null },
	{ ok: false },
	{ success: false },
	{ errors: [{ field: 'team' }] },
])('%j is an error', (json) => {
	expect(isErrorBody(json)).toBe(true);
});

it.each([
	{},
	{ ok: true },
	{ success: true },
	{ status: 'string', type: 'string' },
	{ message: 'Done', data: { email: 'string' } },
	{ message: 'string', email: 'string' },
	{ error: { nothing: 1 } },
	{ errors: 0 },
	[{ error: 'No' }],
	'No',
	null,
])('%j is no error', (json) => {
	expect(isErrorBody(json)).toBe(false);
});

it('Only the beginning of a body is read as an error', () => {
	expect(errorTextsIn('x'.repeat(5_000))).toEqual(['x'.repeat(200)]);
	const long = JSON.stringify({ message: 'y'.repeat(1_000) });
	expect(errorTextsIn(long)).toEqual([long.slice(0, 200)]);
	expect(errorTextsIn(' {"message":"No","error":{"message":"Why"}}')).toEqual(['Why', 'No']);
	expect(errorTextsIn('{"count":1}')).toEqual([]);
});
