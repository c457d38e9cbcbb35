import { evenShare } from '../support/share';
import { OVERLAY_KINDS, faultSchema, type Fault } from './faultSchema';

interface ActiveFault {
	readonly id: number;
	readonly fault: Fault;
	readonly isInShare: () => boolean;
	toSkip: number;
	/** Infinity when only a share limits it. */
	timesLeft: number;
	applied: number;
}

/** A fault as the control side shows it. */
export interface FaultView {
	id: number;
	fault: Fault;
	applied: number;
	/** Undefined: no limit. */
	timesLeft: number | undefined;
}

/** What a request looks like to a fault: the path is relative to the base URL. */
export interface FaultTarget {
	method: string;
	path: string;
}

/** The faults that wait for requests, in the order in which they were asked for. */
export class FaultList {
	private active: ActiveFault[] = [];
	private lastId = 0;

	constructor(private readonly changed: () => void) {}

	/** @throws ZodError for what is no fault. @returns its id. */
	add(input: unknown): number {
		const fault = faultSchema.parse(input);
		this.lastId += 1;
		this.active.push({
			id: this.lastId,
			fault,
			isInShare: evenShare(fault.share ?? 1),
			toSkip: fault.skip ?? 0,
			timesLeft: fault.times ?? (fault.share === undefined ? 1 : Number.POSITIVE_INFINITY),
			applied: 0,
		});
		this.changed();
		return this.lastId;
	}

	/** Removes one fault, or all. @returns whether there was anything to remove. */
	clear(id?: number): boolean {
		const before = this.active.length;
		this.active = id === undefined ? [] : this.active.filter((entry) => entry.id !== id);
		if (before !== this.active.length) this.changed();
		return before !== this.active.length;
	}

	/** Takes, and uses up, the overlays for a request that has just come in. */
	takeOverlays(target: FaultTarget): Fault[] {
		return this.take(target, ({ kind }) => OVERLAY_KINDS.has(kind));
	}

	/** Takes the delays and the first other fault for a request that is about to be served. */
	takeForWork(target: FaultTarget): Fault[] {
		const delays = this.take(target, ({ kind }) => kind === 'delay');
		let isFirst = true;
		const others = this.take(
			target,
			({ kind }) => {
				return isFirst && kind !== 'delay' && !OVERLAY_KINDS.has(kind);
			},
			() => (isFirst = false),
		);
		return [...delays, ...others];
	}

	view(): FaultView[] {
		return this.active.map(({ id, fault, applied, timesLeft }) => ({
			id,
			fault,
			applied,
			timesLeft: Number.isFinite(timesLeft) ? timesLeft : undefined,
		}));
	}

	private take(
		target: FaultTarget,
		isWanted: (fault: Fault) => boolean,
		taken: () => void = () => undefined,
	): Fault[] {
		const chosen: Fault[] = [];
		for (const entry of this.active) {
			if (!isWanted(entry.fault) || !matches(entry.fault, target)) continue;
			if (entry.toSkip > 0) {
				entry.toSkip -= 1;
				continue;
			}
			if (!entry.isInShare()) continue;
			entry.timesLeft -= 1;
			entry.applied += 1;
			chosen.push(entry.fault);
			taken();
		}
		if (chosen.length > 0) {
			this.active = this.active.filter(({ timesLeft }) => timesLeft > 0);
			this.changed();
		}
		return chosen;
	}
}

function matches({ match }: Fault, { method, path }: FaultTarget): boolean {
	if (match?.method !== undefined && match.method.toUpperCase() !== method) return false;
	if (match?.path === undefined) return true;
	return match.path.endsWith('*') ? path.startsWith(match.path.slice(0, -1)) : path === match.path;
}
