/** What is said of replies names every channel on which a lead can reply. */
import { EVENT_TYPES } from '../../../nodes/OutreachService/domain/eventTypes';
import { exampleText, readExample } from '../../../tools/demo/examples';
import { read } from './everyDocument';

const REPLIES = [...EVENT_TYPES].filter((type) => type.endsWith('Replied'));

/** What a lead replies by, and how the note of the example says so. */
const WORDS: Readonly<Record<string, readonly [inDocuments: string, inExample: string]>> = {
	emailsReplied: ['email', 'by email'],
	networkReplied: ['network message', 'on the professional network'],
	messengerReplied: ['instant message', 'by messenger'],
	smsReplied: ['SMS', 'as a text message'],
};

/** The words as a list: 'a, b or c'. */
const listOf = (words: string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)!}`;

it('Each type of reply has its words here', () => {
	expect(Object.keys(WORDS).sort()).toEqual([...REPLIES].sort());
});

it('docs/events.md says what the lead state Warmed covers', () => {
	const channels = listOf(Object.values(WORDS).map(([inDocuments]) => inDocuments));
	expect(read('docs/events.md')).toContain(`_Lead State: Warmed_ is a reply by ${channels}.`);
});

it('The example of replies selects each type of reply, and its note names them', () => {
	const file = 'reply-to-slack.json';
	const [trigger] = readExample(file).nodes.filter(({ parameters }) => 'events' in parameters);
	expect([...[trigger?.parameters.events].flat()].sort()).toEqual([...REPLIES].sort());
	const channels = listOf(Object.values(WORDS).map(([, inExample]) => inExample));
	expect(exampleText(file)).toContain(`Each reply, ${channels}, becomes`);
});
