import { deferred } from '../../../nodes/OutreachService/utils/deferred';
import { Mutex } from '../../../nodes/OutreachService/utils/mutex';
import { settle } from '../../../nodes/OutreachService/utils/settle';

it('Tasks with the same key run one after the other, also after one that fails', async () => {
	const mutex = new Mutex();
	const events: string[] = [];
	const task = (name: string, key: string) =>
		settle(
			mutex.run(key, async () => {
				events.push(`${name} begins`);
				await Promise.resolve();
				events.push(`${name} ends`);
				throw new Error(name);
			}),
		);
	await Promise.all([task('one', 'a'), task('two', 'a'), task('three', 'a')]);
	expect(events).toEqual(
		['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]),
	);
});

it('A key is forgotten when its last task has ended, and not before', async () => {
	const mutex = new Mutex();
	const [first, second] = [deferred<undefined>(), deferred<undefined>()];
	const runs = [mutex.run('a', () => first.promise), mutex.run('a', () => second.promise)];
	first.resolve(undefined);
	await runs[0];
	await new Promise(setImmediate);
	expect(mutex.size).toBe(1);
	expect([mutex.isBusy('a'), mutex.isBusy('b')]).toEqual([true, false]);

	let hasBegun = false;
	const third = mutex.run('a', async () => {
		hasBegun = true;
		await Promise.resolve();
	});
	await new Promise(setImmediate);
	expect(hasBegun).toBe(false);

	second.resolve(undefined);
	await Promise.all([...runs, third]);
	await new Promise(setImmediate);
	expect(mutex.size).toBe(0);
});
