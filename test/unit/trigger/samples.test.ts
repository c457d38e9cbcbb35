/** Whatever is chosen in the options of the trigger, each event can be tested with a sample, or the choice is refused. */
import { activitySchema } from '../../../nodes/OutreachService/domain/activity';
import { EVENT_TYPES } from '../../../nodes/OutreachService/domain/eventTypes';
import {
	chosenEvent,
	passesFilters,
} from '../../../nodes/OutreachService/trigger/delivery/applySelection';
import { options } from '../../../nodes/OutreachService/trigger/description/options';
import { samplesOf } from '../../../nodes/OutreachService/trigger/testRun/sampleRun';
import { settleSync } from '../../../nodes/OutreachService/utils/settle';
import { read } from './selections';

const EVENTS = [...EVENT_TYPES, 'brandNew', '*'];

/** What a user can choose in the options that have a few values. */
const CHOICES = options.flatMap(({ name, type, options: choices = [] }) => {
	if (type === 'boolean') return [true, false].map((value) => ({ name, value }));
	if (type !== 'options') return [];
	return choices.flatMap((one) => ('value' in one ? [{ name, value: one.value }] : []));
});

/** Whether a test run of this event has a sample, and each of its samples would start the workflow. */
function canBeTested(event: string, choice: Record<string, unknown>): boolean {
	const selection = settleSync(() => read([event], choice));
	if (!selection.ok) {
		// Nobody can publish such a workflow, or begin a test run.
		expect(selection.error.message).toMatch(/^The value of '.+' cannot be used\. (?!It must be )/);
		return true;
	}
	const samples = samplesOf(selection.value);
	return (
		samples.length > 0 &&
		samples.every((sample) => {
			const activity = activitySchema.parse(sample.json);
			return (
				chosenEvent(sample.event, activity, selection.value) !== undefined &&
				passesFilters(activity, selection.value)
			);
		})
	);
}

it.each(CHOICES)(
	'With $name: $value, each event has a sample that starts the workflow, or is refused',
	({ name, value }) => {
		expect(EVENTS.filter((event) => !canBeTested(event, { [name]: value }))).toEqual([]);
	},
);

it.each([
	['warmed, smsReplied', 'warmed, smsReplied'],
	['smsReplied, *', 'smsReplied, emailsReplied'],
	['*, emailsReplied, hooked', 'emailsReplied, hooked, emailsBounced'],
	['*', 'emailsReplied'],
])('With an output for each event, %s have samples of the types %s', (events, types) => {
	const samples = samplesOf(read(events.split(', '), { outputs: 'perEvent' }));
	expect(samples.map(({ json }) => json.type)).toEqual(types.split(', '));
});
