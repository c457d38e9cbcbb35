/** What a report says, with which times, and where. */
import { Mutex } from '../../../nodes/OutreachService/utils/mutex';
import { webhookBase } from '../../../nodes/OutreachService/domain/triggerUrl';
import { TriggerNodes, type Health } from '../../../nodes/OutreachService/runtime/triggerNodes';
import type { Report } from '../../../nodes/OutreachService/trigger/registration/health';
import {
	nothingDone,
	type ChangeResult,
} from '../../../nodes/OutreachService/trigger/registration/reconcile';
import { namesOf, tell } from '../../../nodes/OutreachService/trigger/registration/report';
import { read } from './selections';

const BASE = webhookBase('https://user:pass@n8n.test/webhook/1/webhook');

/** Summer time begins in New York between the two. */
const COMPLETE_AT = Date.parse('2026-03-08T06:30:00Z');
const NOW = Date.parse('2026-03-08T07:30:00Z');

const refused = Object.assign(new Error('The service did not accept the API key'), {
	description: 'Copy the key.',
});

type Given = {
	health?: Partial<Health>;
	result?: Partial<ChangeResult>;
	timezone?: string;
	options?: object;
	/** Whether the parameters can be used. */
	isUsable?: boolean;
	/** n8n 1 cannot save a failed execution. */
	savesExecutions?: boolean;
};

/** Tells a report. @returns the failed execution as one text, and the log */
function told(report: Report, given: Given) {
	const { timezone = 'America/New_York', savesExecutions = true } = given;
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	const executions: string[] = [];
	const log: string[] = [];
	const write = (level: string) => (text: string) => log.push(`${level}: ${text}`);
	const saveFailedExecution = (error: Error & { description: string }) =>
		executions.push(`${error.message} | ${error.description}`);
	const ctx = {
		getWorkflow: () => ({ id: 'wf', name: 'Test' }),
		getNode: () => ({ id: '1', name: 'Trigger' }),
		getTimezone: () => timezone,
		getInstanceBaseUrl: () => 'https://n8n.test/',
		logger: { warn: write('warn'), error: write('error') },
		...(savesExecutions ? { saveFailedExecution } : {}),
	};
	const node = new TriggerNodes(new Mutex()).find(ctx, BASE);
	const { options = {}, isUsable = true } = given;
	if (isUsable) node.selection = { ok: true, value: read(['warmed'], options) };
	node.health = { lost: [], ...given.health };
	const result = { ...nothingDone(refused), ...given.result };
	tell(ctx as unknown as Parameters<typeof tell>[0], node, result, report);
	return { executions, log };
}

afterEach(() => {
	jest.restoreAllMocks();
});

const failing = { since: COMPLETE_AT, checks: 2, isTold: false };
const SEVEN = ['emailsSent', 'emailsOpened', 'emailsReplied', 'warmed', 'smsReplied', 'a', 'b'];

it('A report names up to five events, and counts the others', () => {
	const five =
		'Email: Sent, Email: Opened, Email: Reply Received, Lead State: Warmed, SMS: Reply Received';
	expect(namesOf(SEVEN.slice(0, 5))).toBe(five);
	expect(namesOf(SEVEN.slice(0, 6))).toBe(`${five} and 1 more`);
});

it.each<[Report, Given, RegExp]>([
	[
		'failing',
		{ health: { failing, completeAt: COMPLETE_AT } },
		/^The webhooks of "Trigger" cannot be checked or changed \| The service did not accept the API key\. Copy the key\. The checks have not succeeded since 8 Mar 2026, 01:30 \(America\/New_York\); the webhooks were last complete on 8 Mar 2026, 01:30 \(America\/New_York\)\. Webhooks that exist at the service keep starting the workflow; .* n8n keeps checking/,
	],
	[
		'failing',
		{ result: { missing: ['smsReplied'] }, health: { failing: { ...failing, since: NOW + 1 } } },
		/^1 webhook of "Trigger" cannot be created at the service: SMS: Reply Received \| .* since 8 Mar 2026, 03:30 [^;.]+\. Until a check succeeds, its events are lost\. n8n keeps/,
	],
	[
		'failing',
		{ isUsable: false, timezone: 'UTC+2', health: { failing } },
		/^The trigger "Trigger" cannot be used: The service did .* Then publish the workflow again\. .* since 8 Mar 2026, 06:30 \(UTC\)\.$/,
	],
	[
		'restored',
		{ health: { lost: SEVEN, completeAt: COMPLETE_AT }, result: { failure: undefined } },
		/^Webhooks of "Trigger" were missing at the service, and n8n has created them again\. Their events: Email: Sent, Email: Opened, Email: Reply Received, Lead State: Warmed, SMS: Reply Received and 2 more \| The workflow works again\. Events that happened between 8 Mar 2026, 01:30 \(America\/New_York\) and 8 Mar 2026, 03:30 \(America\/New_York\) may be lost/,
	],
	[
		'restored',
		// A clock that was wrong has told the time.
		{ health: { lost: ['warmed'], completeAt: NOW + 1 } },
		/ \| Events that happened before 8 Mar 2026, 03:30 \(America\/New_York\), perhaps/,
	],
	[
		'listenerLost',
		{},
		/^n8n no longer .* n8n responds at https:\/\/n8n\.test\/webhook\/1\/webhook /,
	],
	['incompleteList', { result: { unlisted: ['warmed'] } }, / list all .*: Lead State: Warmed \| /],
])('A report of the kind %s with %j has its text', (report, given, expected) => {
	expect(told(report, given).executions).toEqual([expect.stringMatching(expected)]);
});

it('A report is in the log, with a link; as an execution, only if the option says so and n8n can save it', () => {
	const link = 'https://n8n.test/workflow/wf';
	for (const given of [{ options: { reportProblems: false } }, { savesExecutions: false }]) {
		const { executions, log } = told('failing', given);
		expect(executions).toEqual([]);
		expect(log).toEqual([expect.stringMatching(new RegExp(`^error: The webhooks .* ${link}$`))]);
	}
	const { log } = told('restored', { health: { lost: ['warmed'] } });
	expect(log).toEqual([expect.stringMatching(/^warn: /)]);
});
