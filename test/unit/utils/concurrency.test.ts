/** Tasks that run several at a time. */
import { mapConcurrently } from '../../../nodes/OutreachService/utils/concurrency';

it('Five tasks run at a time, the others begin in the order of the calls, and none after a failure', async () => {
	const begun: number[] = [];
	const tasks = Array.from({ length: 12 }, (_, number) => number);
	const results = mapConcurrently(tasks, async (number) => {
		begun.push(number);
		await Promise.resolve();
		if (number === 7) throw new Error('The task failed');
		return number;
	});
	expect(begun).toEqual([0, 1, 2, 3, 4]);
	await expect(results).rejects.toThrow('The task failed');
	expect(begun.length).toBeLessThan(12);
	expect(begun).toEqual(tasks.slice(0, begun.length));
});
