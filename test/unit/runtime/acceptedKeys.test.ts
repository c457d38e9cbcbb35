/** Which API keys' secrets are accepted, and how often the credential is read for it (D113). */
import { webhookKeyOf } from '../../../nodes/OutreachService/domain/secret';
import { AcceptedKeys } from '../../../nodes/OutreachService/runtime/acceptedKeys';

const NODE = 'wf/node';
const [first, second, third] = ['first', 'second', 'third'].map(webhookKeyOf) as [Key, Key, Key];
type Key = ReturnType<typeof webhookKeyOf>;

const toldLater = { isTold: true };
const neverTold = { isTold: false };

let keys: AcceptedKeys;

beforeEach(() => {
	jest.useFakeTimers({ now: 0 });
	keys = new AcceptedKeys();
});

afterEach(() => {
	jest.useRealTimers();
});

const accepted = (node = NODE): Key[] =>
	[first, second, third].filter(({ id }) => keys.find(node, id) !== undefined);

describe('An earlier key', () => {
	it('is accepted until the webhooks are replaced, however long that takes, and a minute longer', async () => {
		keys.use(NODE, first, toldLater);
		keys.use(NODE, second, toldLater);
		await jest.advanceTimersByTimeAsync(3_600_000);
		expect(accepted()).toEqual([first, second]);
		keys.replaced(NODE);
		await jest.advanceTimersByTimeAsync(30_000);
		// A later check, which finds all webhooks in order, does not prolong it.
		keys.replaced(NODE);
		await jest.advanceTimersByTimeAsync(29_999);
		expect(accepted()).toEqual([first, second]);
		await jest.advanceTimersByTimeAsync(1);
		expect(accepted()).toEqual([second]);
	});

	it('is accepted for two minutes by a process that is not told of the replacement, whatever is delivered meanwhile', async () => {
		keys.use(NODE, first, neverTold);
		keys.use(NODE, second, neverTold);
		await jest.advanceTimersByTimeAsync(60_000);
		keys.use(NODE, second, neverTold);
		await jest.advanceTimersByTimeAsync(59_999);
		expect(accepted()).toEqual([first, second]);
		await jest.advanceTimersByTimeAsync(1);
		expect(accepted()).toEqual([second]);
	});

	it('stays accepted through several changes, and is the current one when it comes back', async () => {
		for (const key of [first, second, third, first]) keys.use(NODE, key, toldLater);
		expect(accepted()).toEqual([first, second, third]);
		expect(keys.find(NODE, undefined)).toBe(first);
		keys.replaced(NODE);
		await jest.advanceTimersByTimeAsync(60_000);
		expect(accepted()).toEqual([first]);
	});

	it('is accepted for its node alone', () => {
		keys.use(NODE, first, toldLater);
		keys.use('wf/other', second, toldLater);
		expect([accepted(), accepted('wf/other')]).toEqual([[first], [second]]);
	});
});

describe('The credential', () => {
	const findOrRead = async (keyId: string, read: () => Promise<Key>) =>
		await keys.findOrRead(NODE, keyId, read, neverTold);

	it('is not read for a key that is known', async () => {
		keys.use(NODE, first, neverTold);
		const read = jest.fn(async () => second);
		expect(await findOrRead(first.id, read)).toEqual({ ok: true, value: first });
		expect(read).not.toHaveBeenCalled();
	});

	it('is read once a second for a flood of unknown keys, and each delivery sees a key that was entered before it', async () => {
		let entered = first;
		const read = jest.fn(async () => entered);
		const early = ['x', 'y', first.id].map(async (id) => await findOrRead(id, read));
		await jest.advanceTimersByTimeAsync(0);
		expect((await Promise.all(early)).map((one) => one.ok && one.value)).toEqual([
			undefined,
			undefined,
			first,
		]);
		entered = second;
		const flood = (id: string) =>
			Array.from({ length: 50 }, async () => await findOrRead(id, read));
		const late = flood('x');
		await jest.advanceTimersByTimeAsync(500);
		late.push(...flood('y'));
		await jest.advanceTimersByTimeAsync(500);
		for (const found of await Promise.all(late)) expect(found).toEqual({ ok: true });
		expect(await findOrRead(second.id, read)).toEqual({ ok: true, value: second });
		expect(read).toHaveBeenCalledTimes(2);
		// The key before is still accepted.
		expect(accepted()).toEqual([first, second]);
	});

	it('that cannot be read costs no key that is known, and is read again', async () => {
		const failure = new Error('The database is away');
		keys.use(NODE, first, neverTold);
		const failed = await findOrRead(second.id, async () => await Promise.reject(failure));
		expect(failed).toEqual({ ok: false, error: failure });
		expect(accepted()).toEqual([first]);
		const again = findOrRead(second.id, async () => second);
		await jest.advanceTimersByTimeAsync(1_000);
		expect(await again).toEqual({ ok: true, value: second });
	});
});
