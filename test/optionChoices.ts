/** What a user can choose in the options of the trigger, for tests of whatever is chosen. */
import { options } from '../nodes/OutreachService/trigger/description/options';

/** The options that have a few values, with these. */
export const OPTION_CHOICES = options.flatMap(({ name, type, options: choices = [] }) => {
	if (type === 'boolean') return [{ name, values: [true, false] }];
	if (type !== 'options') return [];
	const values = choices.flatMap((choice) => ('value' in choice ? [choice.value] : []));
	return [{ name, values }];
});
