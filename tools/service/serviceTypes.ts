import type { EmitManyOptions } from './delivery/emitMany';
import type { EmitManySummary } from './delivery/tally';
import type { EmitOptions } from './delivery/emitter';
import type { LedgerEntry } from './delivery/ledger';
import type { FaultView } from './faults/faultList';
import type { Fault } from './faults/faultSchema';
import type { ActivityInput } from './model/activity';
import type { HookFields, HookView } from './model/hook';
import type { LoggedRequest } from './api/requestLog';
import type { SwitchChanges, Switches } from './switches';

/** A key and the team it belongs to; `null` is a key whose team is invalid (§7, Bad team). */
export interface KeyOption {
	key: string;
	team?: string | null;
}

export interface ServiceOptions {
	/** Port of the API; 0 takes a free one. Default 0. */
	port?: number;
	/** Port of the control routes and the page; 0 takes a free one. Default 0. */
	controlPort?: number;
	/** Address to listen on. Default: 127.0.0.1, so that nobody else can reach it. */
	host?: string;
	/** Keys given as text belong to the same team. Default: one generated key. */
	apiKeys?: readonly (string | KeyOption)[];
	switches?: SwitchChanges;
	/** Hooks to start with; they are tied to a campaign that no sample has, so nothing is delivered to them. */
	seedHooks?: number;
	/** Newest attempts to keep. Default 2,000. */
	ledgerSize?: number;
	/** Newest API requests to keep. Default 5,000. */
	requestLogSize?: number;
}

/** How often the API was called: of one key, or of all. */
export interface Stats {
	/** Requests with a valid key. */
	requests: number;
	/** Those over the limit. */
	refused: number;
	/** The most requests with one key that arrived within any window (`rateLimitWindowMs`), refused ones included. */
	maxStartsInWindow: number;
}

/** A service that is listening. Several can run in one process; they share nothing. */
export interface RunningService {
	/** The API's address with its prefix, such as `http://127.0.0.1:4010/api`. */
	readonly baseUrl: string;
	/** The control routes and the page. */
	readonly controlUrl: string;
	/** The first key. */
	readonly apiKey: string;
	/** Without a team: that of the first key, so a rotated key sees the same hooks. `null`: Bad team. */
	addApiKey(key: string, team?: string | null): void;
	/** @returns whether the key was valid until now. */
	removeApiKey(key: string): boolean;

	/** The hooks of one team, or of all, oldest first; never with a secret. */
	hooks(team?: string): HookView[];
	/** As if somebody else had made it: no limit, no check. Without a team: that of the first key. */
	addHook(fields: HookFields & { team?: string }): HookView;
	/** As if somebody else had deleted it. @returns whether it existed. */
	removeHook(id: string): boolean;
	/** As if the service had given up on it: no more deliveries, `disabled: true` in lists. @returns whether it existed. */
	disableHook(id: string): boolean;
	/** Calls the listener right after each change of any webhook, whoever made it. @returns what ends the calls. */
	onHooksChange(listener: () => void): () => void;

	readonly switches: Readonly<Switches>;
	/** @throws ZodError for an unknown switch or value; nothing is changed then. */
	setSwitches(changes: SwitchChanges): void;

	/** @throws ZodError for what is no fault. @returns its id. */
	addFault(fault: Fault): number;
	/** Removes one fault, or all. */
	clearFaults(id?: number): void;
	readonly faults: readonly FaultView[];

	/** The newest API requests (`requestLogSize`), oldest first. */
	readonly requests: readonly LoggedRequest[];
	clearRequests(): void;
	stats(apiKey?: string): Stats;

	/**
	 * Makes an activity happen: a complete one (with `_id`, `teamId` and `createdAt`), or a type with whatever should differ
	 * from a sample; a field set to undefined is left out. Resolves once the outcome of each delivery is final.
	 */
	emit(input: ActivityInput, options?: EmitOptions): Promise<LedgerEntry[]>;
	/** Makes many happen, reading the source only as fast as they get away. */
	emitMany(
		source: Iterable<ActivityInput> | AsyncIterable<ActivityInput>,
		options?: EmitManyOptions,
	): Promise<EmitManySummary>;
	/** The newest attempts (`ledgerSize`), oldest first. */
	readonly ledger: readonly LedgerEntry[];

	/** Stops listening, cuts connections, ends deliveries. Can be called again. */
	close(): Promise<void>;
}
