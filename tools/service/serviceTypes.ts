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

export const DEFAULT_LEDGER_SIZE = 2000;
export const DEFAULT_REQUEST_LOG_SIZE = 5000;

/** An API key and its team; `null` for a key whose team is invalid (§7, Bad team). */
export interface KeyOption {
	key: string;
	team?: string | null;
}

export interface ServiceOptions {
	/** Port of the API; 0 picks a free one. Default 0. */
	port?: number;
	/** Whether to start the control API and page, which take longer to start than the API. Default: true. */
	control?: boolean;
	/** Port of the control API and page; 0 picks a free one. Default 0. */
	controlPort?: number;
	/** Address to listen on. Default: 127.0.0.1, which only this machine can reach. */
	host?: string;
	/** Keys given as strings belong to the same team. Default: one generated key. */
	apiKeys?: readonly (string | KeyOption)[];
	switches?: SwitchChanges;
	/** Webhooks to start with. Their campaign is one that no sample has, so nothing is delivered to them. Default 0. */
	seedHooks?: number;
	/** How many delivery attempts to keep. Default: `DEFAULT_LEDGER_SIZE`. */
	ledgerSize?: number;
	/** How many API requests to keep. Default: `DEFAULT_REQUEST_LOG_SIZE`. */
	requestLogSize?: number;
}

/** Request statistics of one API key, or of all. */
export interface Stats {
	/** Requests with a valid key. */
	requests: number;
	/** Requests over the limit. */
	refused: number;
	/** The most requests with one key within any window (`rateLimitWindowMs`), including those over the limit. */
	maxStartsInWindow: number;
}

/** A service that is listening. Several can run in one process; they share no state. */
export interface RunningService {
	/** The API's base URL with its prefix, such as `http://127.0.0.1:4010/api`. */
	readonly baseUrl: string;
	/** The URL of the control page and API; empty without them. */
	readonly controlUrl: string;
	/** The first key. */
	readonly apiKey: string;
	/** @param team defaults to that of the first key, as in a key rotation; `null` for an invalid team (§7, Bad team) */
	addApiKey(key: string, team?: string | null): void;
	/** @returns whether the key was valid. */
	removeApiKey(key: string): boolean;

	/** The webhooks of one team, or of all teams, oldest first; never with a secret. */
	hooks(team?: string): HookView[];
	/** Adds a webhook as another client would, without validation or limits. `team` defaults to that of the first key. */
	addHook(fields: HookFields & { team?: string }): HookView;
	/** Removes a webhook as another client would. @returns whether it existed. */
	removeHook(id: string): boolean;
	/** Disables a webhook: no more deliveries, `disabled: true` in lists. @returns whether it existed. */
	disableHook(id: string): boolean;
	/** Calls the listener right after any webhook changes. @returns a function that removes the listener. */
	onHooksChange(listener: () => void): () => void;

	readonly switches: Readonly<Switches>;
	/** @throws ZodError for an unknown switch or an invalid value; then nothing changes. */
	setSwitches(changes: SwitchChanges): void;

	/** @throws ZodError for an invalid fault. @returns its ID. */
	addFault(fault: Fault): number;
	/** Removes one fault, or all. */
	clearFaults(id?: number): void;
	readonly faults: readonly FaultView[];

	/** The newest API requests (`requestLogSize`), oldest first. */
	readonly requests: readonly LoggedRequest[];
	clearRequests(): void;
	stats(apiKey?: string): Stats;

	/**
	 * Sends an event: a complete activity (with `_id`, `teamId` and `createdAt`), or a type with the fields that differ from
	 * a sample; a field that is `undefined` is omitted. Resolves once the outcome of each delivery is final.
	 */
	emit(input: ActivityInput, options?: EmitOptions): Promise<LedgerEntry[]>;
	/** Sends many events, reading the source only as fast as it sends. */
	emitMany(
		source: Iterable<ActivityInput> | AsyncIterable<ActivityInput>,
		options?: EmitManyOptions,
	): Promise<EmitManySummary>;
	/** The newest delivery attempts (`ledgerSize`), oldest first. */
	readonly ledger: readonly LedgerEntry[];

	/** Stops listening, closes connections and ends deliveries. Calling it again has no effect. */
	close(): Promise<void>;
}
