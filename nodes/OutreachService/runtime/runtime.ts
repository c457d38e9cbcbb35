import { RateLimiters } from '../api/rateLimiter';
import { RecentCreates } from '../api/recentCreates';
import { Mutex } from '../utils/mutex';
import { ActiveNodes } from './activeNodes';
import { Deduplicator } from './deduplicator';
import { Batches } from './batches';
import { DerivedDigests } from './derivedDigests';
import { FirstTimes } from './firstTimes';
import { Handovers } from './handovers';
import { RecordedActivities } from './recordedActivities';
import { ResponseOutcomes } from './responseOutcomes';
import { Selections } from './selections';

/**
 * Everything that a process remembers between two calls from n8n. Nothing else in the package changes after it is
 * loaded.
 */
export class Runtime {
	readonly mutex = new Mutex();

	readonly limiters = new RateLimiters();

	readonly recentCreates = new RecentCreates();

	readonly activeNodes = new ActiveNodes(this.mutex);

	readonly handovers = new Handovers();

	readonly selections = new Selections();

	readonly derivedDigests = new DerivedDigests();

	readonly responseOutcomes = new ResponseOutcomes();

	readonly deduplicator = new Deduplicator(this.responseOutcomes);

	readonly recordedActivities = new RecordedActivities();

	readonly batches = new Batches(this.responseOutcomes);

	/** Nodes with a condition that could not be evaluated: logged once for each. */
	readonly conditionWarnings = new FirstTimes();

	/** Nodes whose expressions select something else than when their webhooks were registered. */
	readonly selectionWarnings = new FirstTimes();

	/** Nodes that are to remember activities in n8n's database, in an n8n that cannot. */
	readonly helperWarnings = new FirstTimes();

	/** The number of entries of each kind, for whoever checks that nothing grows without end. */
	stats() {
		const { remembered, claims, waiting } = this.deduplicator.stats();
		const { nodes, running, awaited, leaving, repairs } = this.activeNodes.stats();
		return {
			activeNodes: nodes,
			runningTriggers: running,
			awaitedEnds: awaited,
			deactivatedNodes: leaving,
			repairs,
			failedActivations: this.handovers.size,
			locks: this.mutex.size,
			limiters: this.limiters.size,
			recentCreates: this.recentCreates.size,
			selections: this.selections.size,
			derivedDigests: this.derivedDigests.size,
			rememberedActivities: remembered,
			claimedActivities: claims,
			waitingDuplicates: waiting,
			recordingNodes: this.recordedActivities.size,
			heldDeliveries: this.batches.size,
			conditionWarnings: this.conditionWarnings.size,
			selectionWarnings: this.selectionWarnings.size,
			helperWarnings: this.helperWarnings.size,
		};
	}
}

export type RuntimeStats = ReturnType<Runtime['stats']>;

/** The one of this process, which both nodes share. */
export const processRuntime = new Runtime();
