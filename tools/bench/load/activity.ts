import { sampleActivity } from '../../service';

/** A delivery's usual size, in bytes. */
const BYTES = 2_048;

/** An email reply of 2 KB, as JSON without its `_id` and secret. */
const template = sampleActivity('emailsReplied');
const filler = 'Thank you for your message. '.repeat(100);

/** An activity whose JSON has about 2 KB. */
export function deliveryActivity(id: string, secret?: string) {
	const activity = { ...template, _id: id, ...(secret !== undefined && { secret }), text: '' };
	const room = BYTES - JSON.stringify(activity).length;
	return { ...activity, text: filler.slice(0, Math.max(0, room)) };
}

/** The body of a delivery: JSON of about 2 KB. */
export function deliveryBody(id: string, secret: string | undefined): string {
	return JSON.stringify(deliveryActivity(id, secret));
}
