import type { ActivityInput } from '../../../tools/service';
import { useWorld } from '../support/world';

const world = useWorld();

const ADA = { type: 'emailsReplied', leadEmail: 'ada@example.com', campaignName: 'Spring' };

/** Delivers these activities to a trigger, and passes all of them on in one run. */
async function run(options: object, activities: ActivityInput[]) {
	const host = await world.activeTrigger(['*'], { highlightData: true, ...options });
	for (const activity of activities) await world.service.emit(activity);
	await host.execute(host.started);
	return host.highlighted[0];
}

describe('Highlighted data', () => {
	it.each(['activity', 'grouped'])(
		"has the lead's email, the event and the campaign of a run (output: %s)",
		async (output) => {
			expect(await run({ output }, [ADA])).toEqual({
				leadEmail: 'ada@example.com',
				event: 'Email: Reply Received',
				campaign: 'Spring',
			});
		},
	);

	it('has each value of a batch once, and leaves out what the events do not have', async () => {
		const grace = { type: 'emailsReplied', leadEmail: 'grace@example.com' };
		expect(await run({}, [ADA, grace, { ...ADA, type: 'emailsOpened' }])).toEqual({
			leadEmail: 'ada@example.com, grace@example.com',
			event: expect.stringMatching(/^Email: Reply Received, Email: Open/) as string,
			campaign: expect.stringContaining('Spring') as string,
		});
	});

	it('omits what no event of the run has', async () => {
		expect(
			await run({}, [{ type: 'paused', leadEmail: '', campaignId: 7, campaignName: null }]),
		).toEqual({
			event: 'Workspace: Lead Paused',
		});
		const host = await world.activeTrigger(['*'], { highlightData: true });
		await host.execute([{ json: { type: null } }]);
		expect(host.highlighted).toEqual([{}]);
	});

	it.each([
		[255, 'a value as long as n8n keeps'],
		[256, undefined],
	])('of %d characters is %s', async (length, kept) => {
		const host = await world.activeTrigger(['*'], { highlightData: true });
		const leadEmail = 'x'.repeat(length);
		await host.execute([{ json: { leadEmail } }]);
		expect(host.highlighted[0]?.leadEmail).toBe(kept && leadEmail);
	});

	it('has the ID of a campaign without a name', async () => {
		const host = await world.activeTrigger(['*'], { highlightData: true });
		await host.execute([{ json: { campaignId: 'cam_1' } }]);
		expect(host.highlighted).toEqual([{ campaign: 'cam_1' }]);
	});

	it('has only values that n8n keeps whole', async () => {
		const many = Array.from({ length: 20 }, (_, n) => ({
			...ADA,
			leadEmail: `lead-number-${n}@a-company.example.com`,
		}));
		const data = await run({}, many);
		expect(data!.leadEmail!.length).toBeLessThanOrEqual(255);
		expect(data!.leadEmail).toMatch(/\.example\.com$/);
	});

	it('is not stored unless the option is on', async () => {
		expect(await run({ highlightData: false }, [ADA])).toEqual({});
		const host = await world.activeTrigger(['*']);
		await host.execute([{ json: ADA }]);
		expect(host.highlighted).toEqual([{}]);
	});
});
