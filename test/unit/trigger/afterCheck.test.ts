/** What a user is told after a row of checks, and when (D32). */
import fc from 'fast-check';
import type { ITriggerFunctions, NodeOperationError } from 'n8n-workflow';

import { webhookBase } from '../../../nodes/OutreachService/domain/triggerUrl';
import { selectionSchema } from '../../../nodes/OutreachService/parameters/selection';
import {
	NEW_NODE,
	type Health,
	type TriggerNode,
} from '../../../nodes/OutreachService/runtime/triggerNodes';
import {
	nextHealth,
	reportsOf,
	type Report,
} from '../../../nodes/OutreachService/trigger/registration/health';
import type { ChangeResult } from '../../../nodes/OutreachService/trigger/registration/changeResult';
import { reportProblems } from '../../../nodes/OutreachService/trigger/registration/report';
import { read } from '../texts/everyDocument';

const ALL_WELL: ChangeResult = {
	webhooks: [],
	missing: [],
	lost: [],
	hidden: [],
	failure: undefined,
	removalErrors: new Map(),
	isUnfinished: false,
};
const AT_START = { tellsUser: false, listenerLost: false, date: 0, clock: 0 };

const error = new Error('The service could not carry out the request');
const failure: ChangeResult['failure'] = { error, kind: 'concernsAll' };

const checks = fc.array(
	fc
		.record({
			failure: fc.constantFrom(undefined, failure),
			lost: fc.subarray(['emailsReplied', 'smsReplied', 'networkReplied']),
		})
		.map((found): ChangeResult => ({ ...ALL_WELL, ...found })),
	{ minLength: 1, maxLength: 30 },
);

/** What follows from a check. */
function afterCheck(before: Health, checked: ChangeResult, now: number, listenerLost = false) {
	const ended = { tellsUser: true, listenerLost, date: now, clock: now };
	const health = nextHealth(before, checked, ended);
	return { health, reports: reportsOf(before, health, checked) };
}

/** The reports of each check; they take place at 1, 2, 3 … after the node went live at 0. */
function reportsIn(start: ChangeResult, history: readonly ChangeResult[]): Report[][] {
	let health = nextHealth(NEW_NODE.health, start, AT_START);
	return history.map((checked, index) => {
		const after = afterCheck(health, checked, index + 1);
		health = after.health;
		return after.reports;
	});
}

/** Whether each kind of report says that events are lost, or may be. */
const SAYS_LOST: Readonly<Record<Report['kind'], boolean>> = {
	failing: true,
	restored: true,
	listenerLost: true,
	hidden: false,
};

/** One report of each kind. */
const REPORTS: readonly Report[] = [
	{ kind: 'failing', since: 0, completeAt: undefined, error, missing: [] },
	{ kind: 'failing', since: 0, completeAt: undefined, error, missing: ['emailsReplied'] },
	{ kind: 'failing', since: 0, completeAt: 0, error, missing: ['emailsReplied', 'smsReplied'] },
	{ kind: 'restored', events: ['emailsReplied'], completeAt: undefined, isComplete: false },
	{ kind: 'restored', events: ['emailsReplied', 'smsReplied'], completeAt: 0, isComplete: true },
	{ kind: 'listenerLost' },
	{ kind: 'hidden', events: ['emailsReplied'] },
];

/** The description of a report. @param selection whether the parameters can be used */
function descriptionOf(report: Report, selection: TriggerNode['selection']): string {
	let description = '';
	const ctx = {
		logger: { warn: () => undefined, error: () => undefined },
		getNode: () => ({ name: 'Trigger' }),
		getWorkflow: () => ({ id: 'workflow' }),
		getTimezone: () => 'Europe/Berlin',
		getInstanceBaseUrl: () => 'https://n8n.example/',
		saveFailedExecution: (problem: NodeOperationError) => {
			description = problem.description ?? '';
		},
	};
	const node = { ...NEW_NODE, webhooks: [], base: webhookBase('https://n8n.example/webhook/1') };
	reportProblems(ctx as unknown as ITriggerFunctions, { ...node, selection }, [report]);
	return description;
}

it.each(REPORTS)('The condition in docs/recipes.md tells whether events are lost: %j', (report) => {
	const [, pattern = ''] = /\{\{ \/(.+lost.*)\/\.test\(/.exec(read('docs/recipes.md')) ?? [];
	expect(pattern).not.toBe('');
	const usable = selectionSchema.parse({ events: ['emailsReplied'] });
	const isFound = (selection: TriggerNode['selection']) =>
		new RegExp(pattern).test(descriptionOf(report, selection));
	expect(isFound({ ok: true, value: usable })).toBe(SAYS_LOST[report.kind]);
	expect(isFound({ ok: false, error })).toBe(SAYS_LOST[report.kind]);
});

it('The condition in docs/recipes.md is tried with each kind of report', () => {
	expect(new Set(REPORTS.map(({ kind }) => kind))).toEqual(new Set(Object.keys(SAYS_LOST)));
});

const failing = ({ failure }: ChangeResult): boolean => failure !== undefined;

describe('The user', () => {
	it('is told of failing checks exactly once in a row of two or more, at the second, and never of a single one', () => {
		fc.assert(
			fc.property(checks, checks, ([start], history) => {
				const reports = reportsIn(start!, history);
				const all = [start!, ...history];
				const isSecond = (index: number) =>
					failing(all[index + 1]!) &&
					failing(all[index]!) &&
					(index === 0 || !failing(all[index - 1]!));
				const isTold = (told: Report[]) => told.some(({ kind }) => kind === 'failing');
				expect(reports.map(isTold)).toEqual(history.map((_checked, index) => isSecond(index)));
			}),
		);
	});

	it('is told of every event whose webhook was gone, once, by the check that has created it again, or by the first check after a start that has', () => {
		fc.assert(
			fc.property(checks, checks, ([start], history) => {
				const reports = reportsIn(start!, history);
				for (const [index, { failure, lost }] of history.entries()) {
					const found = index === 0 ? [...start!.lost, ...lost] : lost;
					const restored = reports[index]!.filter((report) => report.kind === 'restored');
					const events = restored.flatMap((report) => report.events);
					expect(events.sort()).toEqual([...new Set(found)].sort());
					for (const { isComplete } of restored) expect(isComplete).toBe(!failure);
				}
			}),
		);
	});

	it('is told the time of the last check that succeeded, and of the first that failed after it', () => {
		fc.assert(
			fc.property(checks, (history) => {
				const reports = reportsIn(ALL_WELL, history);
				let lastGood = 0;
				for (const [index, checked] of history.entries()) {
					for (const report of reports[index]!) {
						if ('completeAt' in report) expect(report.completeAt).toBe(lastGood);
						if ('since' in report) expect(report.since).toBe(lastGood + 1);
					}
					if (!failing(checked)) lastGood = index + 1;
				}
			}),
		);
	});
});

it('The user is told that n8n has lost the listener by the second of a row of checks that find it, and by no other', () => {
	const histories = fc.array(fc.constantFrom(true, true, false));
	fc.assert(
		fc.property(histories, (history) => {
			let health: Health = NEW_NODE.health;
			let inRow = 0;
			for (const [index, listenerLost] of history.entries()) {
				const after = afterCheck(health, ALL_WELL, index, listenerLost);
				health = after.health;
				inRow = listenerLost ? inRow + 1 : 0;
				expect(after.reports.map(({ kind }) => kind)).toEqual(inRow === 2 ? ['listenerLost'] : []);
			}
		}),
	);
});

/** What a check finds when there is something to report. The compiler asks for a new report. */
const FOUND: Record<Report['kind'], Partial<ChangeResult> & { listenerLost?: boolean }> = {
	failing: { failure },
	restored: { lost: ['emailsReplied'] },
	hidden: { hidden: ['emailsReplied'] },
	listenerLost: { listenerLost: true },
};

it.each(Object.entries(FOUND))(
	'The report "%s" is made by the check that finds the problem, or else by the next one, a minute later',
	(kind, { listenerLost = false, ...found }) => {
		const checked = { ...ALL_WELL, ...found };
		const first = afterCheck(NEW_NODE.health, checked, 1, listenerLost);
		const second = afterCheck(first.health, checked, 2, listenerLost);
		const isReportedAtOnce = first.reports.some((report) => report.kind === kind);
		// While a node is not idle, its next check follows a minute later.
		const isCheckedAgain = first.health.idleSince === undefined;
		expect(isReportedAtOnce || isCheckedAgain).toBe(true);
		const reports = [...first.reports, ...second.reports];
		expect(reports.map((report) => report.kind)).toContain(kind);
	},
);
