import fc from 'fast-check';
import type { INode } from 'n8n-workflow';

import {
	apiError,
	inWords,
	isNobodyThere,
	isNotTrusted,
} from '../../../nodes/OutreachService/api/errors';

const HOST = 'api.test';
const answer = (status: number, text = '') => ({ kind: 'answer', status, text }) as const;
const NODE: INode = {
	id: '1',
	name: 'Outreach Service',
	type: 'outreachService',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

it.each([
	['ENOTFOUND', 'The address api.test could not be found'],
	['EAI_AGAIN', 'The address api.test could not be found'],
	['ECONNREFUSED', 'Nothing answers at api.test'],
	['ETIMEDOUT', 'api.test did not answer in time'],
	['ECONNABORTED', 'api.test did not answer in time'],
	['ESOCKETTIMEDOUT', 'api.test did not answer in time'],
	['CERT_HAS_EXPIRED', 'No safe connection to api.test could be made'],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'No safe connection to api.test could be made'],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'No safe connection to api.test could be made'],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'No safe connection to api.test could be made'],
	['EPROTO', 'No safe connection to api.test could be made'],
	['ECONNRESET', 'The connection to api.test was cut off'],
	['ERR_BAD_RESPONSE', 'The connection to api.test was cut off'],
])('The code %s means: %s', (code, message) => {
	const words = inWords({ kind: 'unreachable', code }, HOST, []);
	expect(words.message).toBe(message);
	expect(words.description).toContain(`(${code})`);
});

it('Only a name that is not known and a closed port mean that nothing was sent', () => {
	const codes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'];
	expect(codes.every(isNobodyThere)).toBe(true);
	fc.assert(
		fc.property(fc.oneof(fc.string(), fc.constantFrom('ECONNRESET', 'ETIMEDOUT')), (code) => {
			expect(isNobodyThere(code)).toBe(codes.includes(code));
			expect(codes.some(isNotTrusted)).toBe(false);
		}),
	);
});

it('A time-out says after how many seconds', () => {
	const { description } = inWords({ kind: 'unreachable', code: 'ETIMEDOUT' }, HOST, []);
	expect(description).toMatch(/^There was no answer within 30 seconds/);
});

it('What is confidential is seen to be left out', () => {
	const { description } = inWords(answer(418, 'no key s3cret here'), HOST, ['', 's3cret']);
	expect(description).toContain('"no key (hidden) here"');
});

it('An error carries the item and the status, if there are any', () => {
	expect(apiError(NODE, answer(418), HOST, { itemIndex: 3 })).toMatchObject({
		httpCode: '418',
		context: { itemIndex: 3 },
	});
	const bare = apiError(NODE, { kind: 'unreachable', code: 'EPIPE' }, HOST);
	expect(bare.httpCode).toBeNull();
	expect(Object.keys(bare.context)).not.toContain('itemIndex');
});

it('A hint comes after what to do', () => {
	const plain = apiError(NODE, answer(418), HOST).description;
	const more = apiError(NODE, answer(418), HOST, { hint: 'Nothing was lost.' }).description;
	expect(more).toBe(`${plain ?? ''} Nothing was lost.`);
});
