import { evenShare } from '../support';
import { faultSchema, HEADER_FAULT_KINDS, type Fault } from './fault';

/** A fault that waits for requests. */
export interface ActiveFault {
	readonly id: number;
	readonly fault: Fault;
}

interface Entry extends ActiveFault {
	readonly isInShare: (share: number) => boolean;
	/** Matching requests still to skip. */
	toSkip: number;
	/** Infinity if only a share limits it. */
	timesLeft: number;
}

/** The parts of a request that a fault can match; the path is relative to the base URL. */
interface FaultTarget {
	method: string;
	path: string;
}

/** The active faults, in the order in which they were added. */
export class FaultList {
	private active: Entry[] = [];
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
		});
		return this.lastId;
	}

	/** Removes one fault, or all. */
	clear(id?: number): void {
		this.active = id === undefined ? [] : this.active.filter((entry) => entry.id !== id);
	}

	list(): ActiveFault[] {
		return this.active.map(({ id, fault }) => ({ id, fault }));
	}

	/** Takes the faults that change headers, for a request that has just arrived. */
	takeHeaderFaults(target: FaultTarget): Fault[] {
		return this.take(target, ({ kind }) => HEADER_FAULT_KINDS.has(kind));
	}

	/** Takes the delays and the first other fault, for a request that passed the checks. */
	takeRequestFaults(target: FaultTarget): Fault[] {
		const isOther = ({ kind }: Fault) => kind !== 'delay' && !HEADER_FAULT_KINDS.has(kind);
		return [...this.take(target, ({ kind }) => kind === 'delay'), ...this.take(target, isOther, 1)];
	}

	private take(
		target: FaultTarget,
		isEligible: (fault: Fault) => boolean,
		max = Number.POSITIVE_INFINITY,
	): Fault[] {
		const chosen: Fault[] = [];
		for (const entry of this.active) {
			if (chosen.length === max) break;
			if (!isEligible(entry.fault) || !matches(entry.fault, target)) continue;
			if (entry.toSkip > 0) {
				entry.toSkip -= 1;
				continue;
			}
			if (!entry.isInShare(entry.fault.share ?? 1)) continue;
			entry.timesLeft -= 1;
			chosen.push(entry.fault);
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
