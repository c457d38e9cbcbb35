import fc from 'fast-check';

import { hookListSchema, hookSchema, isHook } from '../../../nodes/OutreachService/model/schemas';

const field = fc.oneof(
	fc.string(),
	fc.double({ noNaN: true }),
	fc.boolean(),
	fc.constant(null),
	fc.constant(undefined),
	fc.array(fc.string(), { maxLength: 2 }),
);

const mostly = (right: fc.Arbitrary<unknown>) =>
	fc.oneof({ arbitrary: right, weight: 9 }, { arbitrary: field, weight: 1 });

/** Mostly hooks, some of them with a field that is not as it should be. */
const hookLike = fc.record(
	{
		_id: mostly(fc.string({ minLength: 1 })),
		targetUrl: mostly(fc.webUrl()),
		type: mostly(fc.string()),
		campaignId: mostly(fc.string()),
		createdAt: mostly(fc.string()),
		toolLinkId: mostly(fc.integer()),
		isFirst: mostly(fc.boolean()),
		disabled: mostly(fc.boolean()),
		brandNew: fc.jsonValue(),
	},
	{ requiredKeys: ['_id', 'targetUrl'] },
);

const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;

describe('A list of webhooks', () => {
	it('is checked hook by hook as the schema of a hook says', () => {
		let hooks = 0;
		fc.assert(
			fc.property(fc.oneof(hookLike, fc.jsonValue()), (value) => {
				const json = asSent(value);
				const expected = hookSchema.safeParse(json).success;
				if (expected) hooks += 1;
				expect(isHook(json)).toBe(expected);
				expect(hookListSchema.safeParse([json]).success).toBe(expected);
			}),
			{ numRuns: 3000 },
		);
		expect(hooks).toBeGreaterThan(100);
	});

	it('keeps every hook as it came', () => {
		const list = [{ _id: 'hoo_1', targetUrl: 'https://a.test', brandNew: { deep: [1] } }];
		expect(hookListSchema.parse(list)).toEqual(list);
	});

	const empty = [{ _id: '', targetUrl: 'https://a.test' }];

	it.each([[null], [{}], [''], [{ hooks: [] }], [[null]], [[[]]], [empty]])(
		'is not %j',
		(value) => {
			expect(hookListSchema.safeParse(value).success).toBe(false);
		},
	);
});
