/** What happens when the user stops the execution. */
import { useWorld } from '../support/world';

const world = useWorld();

const asMany = (count: number, signal?: AbortSignal) => ({
	items: Array.from({ length: count }, () => ({})),
	...(signal ? { signal } : {}),
});
const until = async (condition: () => boolean) => {
	while (!condition()) await new Promise(setImmediate);
};
/** How long a stopped execution takes to end, in milliseconds, from the moment it is stopped. */
async function stopped(execution: Promise<unknown>, stop: AbortController): Promise<number> {
	const outcome = execution.then(
		() => 'it ended as if nothing had happened',
		() => performance.now(),
	);
	const from = performance.now();
	stop.abort();
	const end = await outcome;
	expect(end).toEqual(expect.any(Number));
	return Number(end) - from;
}

it('ends while it waits for its turn, and leaves its place to others', async () => {
	const stop = new AbortController();
	const execution = world.run('getAll', {}, asMany(100, stop.signal));
	await until(() => world.requests().length === 20);
	const other = world.run('getAll');
	expect(await stopped(execution, stop)).toBeLessThan(1000);
	await other;
	expect(world.requests()).toHaveLength(21);
	expect(world.service.stats()).toMatchObject({ refused: 0, maxStartsInWindow: 20 });
});

it('ends while an answer is on its way', async () => {
	const stop = new AbortController();
	world.service.addFault({ kind: 'delay', delayMs: 10_000 });
	const execution = world.run('getAll', {}, { signal: stop.signal });
	await until(() => world.requests().length === 1);
	expect(await stopped(execution, stop)).toBeLessThan(2000);
	expect(await world.run('getAll')).toEqual([]);
});

it.each([
	['a refusal', { status: 429, headers: { 'retry-after': '5' } }],
	['a failure', { status: 500 }],
])('ends while it waits after %s', async (_, fault) => {
	const stop = new AbortController();
	world.service.addFault({ kind: 'status', times: 3, ...fault });
	const execution = world.run('getAll', {}, { signal: stop.signal });
	await until(() => world.service.requests[0]?.status !== undefined);
	expect(await stopped(execution, stop)).toBeLessThan(2000);
	expect(world.requests()).toHaveLength(1);
});

it('sends nothing when it is stopped before it begins', async () => {
	await expect(world.run('getAll', {}, { signal: AbortSignal.abort() })).rejects.toThrow();
	expect(world.requests()).toEqual([]);
});

it('makes no items with errors for what was left undone, with continue-on-fail', async () => {
	const stop = new AbortController();
	const execution = world.run('getAll', {}, { ...asMany(50, stop.signal), continueOnFail: true });
	await until(() => world.requests().length === 20);
	expect(await stopped(execution, stop)).toBeLessThan(1000);
});
