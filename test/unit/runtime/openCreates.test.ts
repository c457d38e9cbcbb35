/** Which creates stay open, and for how long. */
import { webhookBase } from '../../../nodes/OutreachService/domain/triggerUrl';
import { digestOf } from '../../../nodes/OutreachService/domain/secret';
import { OpenCreates, type OpenCreate } from '../../../nodes/OutreachService/runtime/openCreates';

const MINUTE_MS = 60_000;

const sent = (minutesAgo: number): OpenCreate => ({
	event: 'emailsReplied',
	targetUrl: webhookBase('https://n8n.test/webhook/1/webhook'),
	digest: digestOf('a secret'),
	listedBefore: new Set(),
	sentAt: performance.now() - minutesAgo * MINUTE_MS,
	end: new Promise(() => undefined),
	hasFailed: false,
});

it('A create that nobody asks for any more is forgotten after ten minutes, when another node sends one', () => {
	const openCreates = new OpenCreates();
	openCreates.add('a test run that is over', sent(11));
	openCreates.add('another node', sent(9));
	openCreates.add('a third one', sent(0));
	expect(openCreates.size).toBe(2);
});
