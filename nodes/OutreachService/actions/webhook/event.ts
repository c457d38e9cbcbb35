import { meantBy, replacementOf } from '../../model/eventTypes';
import { LONGEST_ID, requiredText } from '../parameters';

/** The value that stands for the event of the webhook itself, in *Send Test Event*. */
export const OWN_EVENT = 'own';

/** @param meant the type that somebody misspelled */
export const misspelledAs = (meant: string): string =>
	`It is not an event type of the service. Did you mean '${meant}'?`;

/** An event type or `*`; removed types are rejected with their replacement (§6.2, D12). */
export const eventSchema = requiredText(LONGEST_ID)
	.refine(
		(type) => /^(\*|[\w.:-]+)$/.test(type),
		"It must be an event type such as emailsReplied, or '*' for all events",
	)
	.superRefine((type, context) => {
		const meant = meantBy(type);
		const replacement = replacementOf(type);
		if (meant !== undefined) context.addIssue({ code: 'custom', message: misspelledAs(meant) });
		if (replacement !== undefined) {
			const message = `The service no longer has '${type}'. ${replacement}`;
			context.addIssue({ code: 'custom', message });
		}
	});
