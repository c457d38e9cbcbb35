/**
 * Only When: an event that misses the conditions starts nothing, and one that cannot be evaluated is told. The world is
 * a local service and one trigger in one process of n8n.
 */
import { onlyWhen } from '../support/conditions';
import { textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const spring = { onlyWhen: onlyWhen('campaignName', 'Spring') };

describe("An event that misses the conditions of 'Only When'", () => {
	it.each(['trigger', 'manual'] as const)(
		'gets a 200 and starts nothing; one that meets them does, whatever the data format (mode: %s)',
		async (mode) => {
			const options = { ...spring, output: 'grouped' };
			const host = await world.activeTrigger(['emailsReplied'], options, { mode });
			for (const campaignName of ['Autumn', 'Spring', undefined]) {
				const [attempt] = await world.service.emit({ type: 'emailsReplied', campaignName });
				expect(attempt?.status).toBe(200);
			}
			expect(host.started).toHaveLength(1);
			const { json } = host.started[0]!;
			expect(json.activity).toMatchObject({ campaignName: 'Spring' });
		},
	);

	it('is not remembered: with other conditions, the same event starts the workflow', async () => {
		const host = await world.activeTrigger(['emailsReplied'], spring);
		const activity = { type: 'emailsReplied', _id: 'act_1', campaignName: 'Autumn' } as const;
		await world.service.emit(activity);
		await host.deactivate();
		host.reload({ events: ['emailsReplied'], options: {} });
		await host.activate();
		await world.service.emit(activity);
		expect(host.started).toHaveLength(1);
	});
});

it('A condition that cannot be evaluated is not met; the log says so once for each node', async () => {
	const unreadable = onlyWhen('leadEmail', '2026-01-01', { type: 'dateTime', operation: 'after' });
	const host = await world.activeTrigger(['emailsReplied'], { onlyWhen: unreadable });
	const node = { name: 'Other' };
	await world.activeTrigger(['emailsReplied'], { onlyWhen: unreadable }, { node });
	const warn = world.spyOnWarnings();
	for (let event = 0; event < 3; event += 1) {
		const [attempt] = await world.service.emit({
			type: 'emailsReplied',
			leadEmail: 'ada@example.com',
		});
		expect(attempt?.status).toBe(200);
	}
	expect(host.started).toEqual([]);
	expect(warn.mock.calls.map(([text]) => text).sort()).toEqual([
		textLike(/^An event did not start "Other"/),
		"An event did not start \"Trigger\", because a condition of 'Only When' could not be evaluated: leadEmail is 'ada@example.com', which cannot be compared (it is not a date). Further ones are not logged until n8n restarts.",
	]);
	// One that can be evaluated is not affected.
	await world.service.emit({ type: 'emailsReplied', leadEmail: '2026-05-05' });
	expect(host.started).toHaveLength(1);
});

describe('The value of a condition', () => {
	it.each([['createdAt', '={{ $now.minus({ days: 7 }) }}']])(
		'may be a date from an expression: that of %s from %s',
		async (field, earlier) => {
			const host = await world.activeTrigger(['emailsReplied'], {
				onlyWhen: onlyWhen(field, earlier, { type: 'dateTime', operation: 'after' }),
			});
			const warn = world.spyOnWarnings();
			for (const createdAt of [new Date().toISOString(), '2020-01-01T00:00:00.000Z'])
				await world.service.emit({ type: 'emailsReplied', createdAt });
			expect(host.started).toHaveLength(1);
			expect(warn).not.toHaveBeenCalled();
		},
	);

	it('is refused at the activation when it is a list or an object', async () => {
		await expect(
			world.activeTrigger(['emailsReplied'], {
				onlyWhen: onlyWhen('={{ $json.campaignName }}', '={{ ({ a: 1 }) }}'),
			}),
		).rejects.toThrow(
			"The value of 'Only When' cannot be used. The value of a condition must be a text, a number, a date",
		);
		expect(world.webhooks).toEqual([]);
	});
});

it('A time without a zone in a condition is that of the workflow', async () => {
	const noon = onlyWhen('createdAt', '2026-06-01T12:00:00', {
		type: 'dateTime',
		operation: 'after',
	});
	const host = await world.activeTrigger(['emailsReplied'], { onlyWhen: noon });
	// The workflow is in New York, where noon is at 16:00 UTC.
	for (const createdAt of ['2026-06-01T14:00:00.000Z', '2026-06-01T17:00:00.000Z']) {
		await world.service.emit({ type: 'emailsReplied', createdAt });
	}
	expect(host.started.map(({ json }) => json.createdAt)).toEqual(['2026-06-01T17:00:00.000Z']);
});

describe('A field that a condition names and that the first events of a node do not have', () => {
	const send = async (events: number, fields: object = {}) => {
		for (let event = 0; event < events; event += 1) {
			await world.service.emit({ type: 'emailsReplied', ...fields });
		}
	};
	const NAMED =
		"None of the first 10 events of \"Trigger\" had the field 'lead.team' of a condition of 'Only When'. Check how it is spelled: compare it with the fields of an event in the editor.";

	it('is logged once, with the tenth event', async () => {
		await world.activeTrigger(['emailsReplied'], { onlyWhen: onlyWhen('lead.team', 'North') });
		const warn = world.spyOnWarnings();
		await send(9, { lead: { _id: 'lea_1' } });
		expect(warn).not.toHaveBeenCalled();
		await send(20);
		expect(warn.mock.calls).toEqual([[NAMED]]);
	});
});
