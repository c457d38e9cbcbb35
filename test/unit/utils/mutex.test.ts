/** Tasks with the same key run one after the other. */
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
	expect([mutex.size, mutex.isBusy('a')]).toEqual([0, false]);
	expect(events).toEqual(
		['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]),
	);
});
