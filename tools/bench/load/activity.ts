import { sampleActivity } from '../../service';

/** The typical size of a delivery, in bytes. */
const BYTES = 2_048;

/** A sample email reply. */
const template = sampleActivity('emailsReplied');
const filler = 'Thank you for your message. '.repeat(100);

/** An activity of about 2 KB as JSON. */
export function deliveryActivity(id: string, secret?: string) {
	const activity = { ...template, _id: id, ...(secret !== undefined && { secret }), text: '' };
	const room = BYTES - JSON.stringify(activity).length;
	return { ...activity, text: filler.slice(0, Math.max(0, room)) };
}

/** The body of a delivery: about 2 KB of JSON. */
export function deliveryBody(id: string, secret: string | undefined): string {
	return JSON.stringify(deliveryActivity(id, secret));
}
