import { evenShare } from '../support/share';
import { HEADER_FAULT_KINDS, faultSchema, type Fault } from './faultSchema';

interface ActiveFault {
	readonly id: number;
	readonly fault: Fault;
	readonly isInShare: (share: number) => boolean;
	/** Matching requests still to skip. */
	toSkip: number;
	/** Infinity if only a share limits it. */
	timesLeft: number;
	applied: number;
}

/** A fault as the control API returns it. */
export interface FaultView {
	id: number;
	fault: Fault;
	/** How often it has been applied. */
	applied: number;
	/** Undefined if there is no limit. */
	timesLeft: number | undefined;
}

/** The parts of a request that a fault can match; the path is relative to the base URL. */
export interface FaultTarget {
	method: string;
	path: string;
}

/** The active faults, in the order in which they were added. */
export class FaultList {
	private active: ActiveFault[] = [];
	private lastId = 0;

	/** @throws ZodError for an invalid fault. @returns its ID. */
	add(input: unknown): number {
		const fault = faultSchema.parse(input);
		this.lastId += 1;
		this.active.push({
			id: this.lastId,
			fault,
			isInShare: evenShare(),
			toSkip: fault.skip ?? 0,
			timesLeft: fault.times ?? (fault.share === undefined ? 1 : Number.POSITIVE_INFINITY),
			applied: 0,
		});
		return this.lastId;
	}

	/** Removes one fault, or all. @returns whether any was removed. */
	clear(id?: number): boolean {
		const before = this.active.length;
		this.active = id === undefined ? [] : this.active.filter((entry) => entry.id !== id);
		return before !== this.active.length;
	}

	/** Takes the faults that change headers, for a request that has just arrived. */
	takeHeaderFaults(target: FaultTarget): Fault[] {
		return this.take(target, ({ kind }) => HEADER_FAULT_KINDS.has(kind));
	}

	/** Takes the delays and the first other fault, for a request that passed the checks. */
	takeRequestFaults(target: FaultTarget): Fault[] {
		const delays = this.take(target, ({ kind }) => kind === 'delay');
		let isFirst = true;
		const others = this.take(
			target,
			({ kind }) => {
				return isFirst && kind !== 'delay' && !HEADER_FAULT_KINDS.has(kind);
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
		isEligible: (fault: Fault) => boolean,
		onTake: () => void = () => undefined,
	): Fault[] {
		const chosen: Fault[] = [];
		for (const entry of this.active) {
			if (!isEligible(entry.fault) || !matches(entry.fault, target)) continue;
			if (entry.toSkip > 0) {
				entry.toSkip -= 1;
				continue;
			}
			if (!entry.isInShare(entry.fault.share ?? 1)) continue;
			entry.timesLeft -= 1;
			entry.applied += 1;
			chosen.push(entry.fault);
			onTake();
		}
		this.active = this.active.filter(({ timesLeft }) => timesLeft > 0);
		return chosen;
	}
}

function matches({ match }: Fault, { method, path }: FaultTarget): boolean {
	if (match?.method !== undefined && match.method.toUpperCase() !== method) return false;
	if (match?.path === undefined) return true;
	return match.path.endsWith('*') ? path.startsWith(match.path.slice(0, -1)) : path === match.path;
}
