/**
 * Only When: an event that misses the conditions starts nothing, and one that cannot be evaluated is told; see
 * `unit/trigger/conditions.test.ts` for what each operator means. The world is a local service and one trigger in one process of n8n.
 */
import { onlyWhen } from '../support/conditions';
import { textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const spring = { onlyWhen: onlyWhen('campaignName', 'Spring') };

/** Sends an event for each of these fields; the service gets a 200 for each. */
async function emit(...events: object[]): Promise<void> {
	for (const fields of events) {
		const attempts = await world.service.emit({ type: 'emailsReplied', ...fields });
		for (const { status } of attempts) expect(status).toBe(200);
	}
}

describe("An event that misses the conditions of 'Only When'", () => {
	it.each(['trigger', 'manual'] as const)(
		'gets a 200 and starts nothing; one that meets them does, whatever the data format (mode: %s)',
		async (mode) => {
			const options = { ...spring, output: 'grouped' };
			const host = await world.activeTrigger(['emailsReplied'], options, { mode });
			await emit({ campaignName: 'Autumn' }, { campaignName: 'Spring' }, {});
			expect(host.started).toMatchObject([{ json: { activity: { campaignName: 'Spring' } } }]);
		},
	);

	it('is not remembered: with other conditions, the same event starts the workflow', async () => {
		const host = await world.activeTrigger(['emailsReplied'], spring);
		const activity = { _id: 'act_1', campaignName: 'Autumn' };
		await emit(activity);
		await host.publish({ events: ['emailsReplied'], options: {} });
		await emit(activity);
		expect(host.started).toHaveLength(1);
	});
});

const after = (field: string, date: string) => ({
	onlyWhen: onlyWhen(field, date, { type: 'dateTime', operation: 'after' }),
});

it('A condition that cannot be evaluated is not met; the log says so once for each node', async () => {
	const unreadable = after('leadEmail', '2026-01-01');
	const host = await world.activeTrigger(['emailsReplied'], unreadable);
	await world.activeTrigger(['emailsReplied'], unreadable, { node: { name: 'Other' } });
	const warnings = world.warnings();
	await emit(...Array.from({ length: 3 }, () => ({ leadEmail: 'ada@example.com' })));
	expect(host.started).toEqual([]);
	expect(warnings().sort()).toEqual([
		textLike(/^An event did not start "Other"/),
		"An event did not start \"Trigger\", because a condition of 'Only When' could not be evaluated: leadEmail is 'ada@example.com', which cannot be compared (it is not a date). Further ones are not logged until n8n restarts.",
	]);
	// One that can be evaluated is not affected.
	await emit({ leadEmail: '2026-05-05' });
	expect(host.started).toHaveLength(1);
});

it('An expression in a condition is evaluated for each event', async () => {
	const asked = { onlyWhen: onlyWhen('campaignName', '={{ $vars.campaign }}') };
	const host = await world.trigger(['emailsReplied'], asked);
	host.variables = { campaign: 'Spring' };
	await host.activate();
	host.variables = { campaign: 'Autumn' };
	await emit({ campaignName: 'Spring' }, { campaignName: 'Autumn' });
	expect(host.started.map(({ json }) => json.campaignName)).toEqual(['Autumn']);
});

it.each([
	['an expression', '={{ $now.minus({ days: 7 }) }}', '2020-01-01T00:00:00.000Z'],
	// The workflow is in New York, where noon is at 16:00 UTC.
	['the time zone of the workflow', '2026-06-01T12:00:00', '2026-06-01T14:00:00.000Z'],
])('The date of a condition may be from %s', async (_, date, earlier) => {
	const host = await world.activeTrigger(['emailsReplied'], after('createdAt', date));
	const warnings = world.warnings();
	const later = date.startsWith('=') ? new Date().toISOString() : '2026-06-01T17:00:00.000Z';
	await emit({ createdAt: earlier }, { createdAt: later });
	expect(host.started.map(({ json }) => json.createdAt)).toEqual([later]);
	expect(warnings()).toEqual([]);
});

it('A field that a condition names and that the first ten events of a node do not have is logged once, with the tenth', async () => {
	const asked = { onlyWhen: onlyWhen('lead.team', 'North'), thirdPartyReplies: 'exclude' };
	await world.activeTrigger(['emailsReplied'], asked);
	const warnings = world.warnings();
	// One that another option leaves out does not count.
	await emit({ isThirdPartyReply: true }, ...Array.from({ length: 9 }, () => ({ lead: {} })));
	expect(warnings()).toEqual([]);
	await emit(...Array.from({ length: 20 }, () => ({})));
	expect(warnings()).toEqual([
		"None of the first 10 events of \"Trigger\" had the field 'lead.team' of a condition of 'Only When'. Check how it is spelled: compare it with the fields of an event in the editor.",
	]);
});
