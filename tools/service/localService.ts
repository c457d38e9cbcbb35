import { randomBytes } from 'node:crypto';
import { Dispatcher, Emitter, isDelivered, type EmitOptions, type LedgerEntry } from './delivery';
import { FaultList, type ActiveFault, type Fault } from './faults';
import { Keyring, type Stats } from './keys';
import { DEFAULT_TEAM, type ActivityInput } from './model/activity';
import { HookStore, toHookView, type HookFields, type HookView } from './model/hooks';
import { Ring } from './support';
import { changeSwitches, DEFAULT_SWITCHES, type SwitchChanges, type Switches } from './switches';

/** How many delivery attempts to keep. */
const LEDGER_SIZE = 2000;
const DEFAULT_REQUEST_LOG_SIZE = 5000;

/** A request to the API, as received. */
export interface LoggedRequest {
	/** Counted from 1. */
	readonly id: number;
	/** Milliseconds on the monotonic clock of the service's process (`performance.now()`). */
	readonly at: number;
	/** ISO 8601, UTC. */
	readonly receivedAt: string;
	readonly method: string;
	/** Relative to the base URL, such as `/hooks`. */
	readonly path: string;
	/** A `secret` is redacted as `(set)`, here and in `body`. */
	readonly query: Readonly<Record<string, unknown>>;
	/** The parsed JSON, or only the length of a very long body. Undefined if it isn't JSON. */
	body: unknown;
	/** Undefined until the response is sent, and for good if the connection was cut. */
	status: number | undefined;
	/** Milliseconds until the response was sent or the connection ended. Undefined until then. */
	ms: number | undefined;
	/** Set if the connection ended before the response did: cut by a fault, or closed by the client. */
	disconnected?: true;
	/** Set if the request was rejected because it exceeded the rate limit (§8). */
	overLimit?: true;
	/** The faults that were applied. */
	readonly faults: string[];
}

/** The outcomes of many events. */
export interface EmitManySummary {
	/** Deliveries by their final outcome: one for each webhook and event. */
	delivered: number;
	failed: number;
	/** The number of attempts by status or error. */
	outcomes: Record<string, number>;
}

/** An API key and its team; `null` for a key whose team is invalid (§7, Bad team). */
export interface KeyOption {
	key: string;
	team?: string | null;
}

/** What a service starts with. */
export interface StateOptions {
	/** Keys given as strings belong to the same team. Default: one generated key. */
	apiKeys?: readonly (string | KeyOption)[];
	switches?: SwitchChanges;
	/** How many API requests to keep. Default: `DEFAULT_REQUEST_LOG_SIZE`. */
	requestLogSize?: number;
}

/** The state of one service, and what tests and the control API do with it. Several in one process share nothing. */
export class LocalService {
	/** The first key. */
	readonly apiKey: string;
	/** The team of the first key, and the default for everything else. */
	private readonly team: string;
	private currentSwitches: Switches;

	readonly store = new HookStore();
	readonly keys: Keyring;
	readonly faultList = new FaultList();
	private readonly requestLog: Ring<LoggedRequest>;
	private requestCount = 0;
	private readonly attempts = new Ring<LedgerEntry>(LEDGER_SIZE);
	private readonly dispatcher: Dispatcher;
	private readonly emitter: Emitter;

	/** @throws ZodError for invalid switches */
	constructor(options: StateOptions) {
		const given = (options.apiKeys ?? []).map(
			(entry): KeyOption => (typeof entry === 'string' ? { key: entry } : entry),
		);
		const [first = { key: `local-${randomBytes(12).toString('hex')}` }, ...others] = given;
		this.apiKey = first.key;
		this.team = first.team ?? DEFAULT_TEAM;
		this.keys = new Keyring(this.team);
		for (const { key, team } of [first, ...others]) this.keys.add(key, team);
		this.currentSwitches = changeSwitches(DEFAULT_SWITCHES, options.switches ?? {});
		this.requestLog = new Ring(options.requestLogSize ?? DEFAULT_REQUEST_LOG_SIZE);
		const switches = () => this.currentSwitches;
		this.dispatcher = new Dispatcher(this.store, this.attempts, switches);
		this.emitter = new Emitter(this.store, this.dispatcher, switches, this.team);
	}

	/** @param team defaults to that of the first key, as in a key rotation; `null` for an invalid team (§7, Bad team) */
	addApiKey(key: string, team?: string | null): void {
		this.keys.add(key, team);
	}

	/** @returns whether the key was valid. */
	removeApiKey(key: string): boolean {
		return this.keys.remove(key);
	}

	/** The webhooks of one team, or of all teams, oldest first; never with a secret. */
	hooks(team?: string): HookView[] {
		return this.store.list(team).map(toHookView);
	}

	/** Adds a webhook as another client would, without validation or limits. `team` defaults to that of the first key. */
	addHook({ team = this.team, ...fields }: HookFields & { team?: string }): HookView {
		return toHookView(this.store.add(team, fields));
	}

	/** Removes a webhook as another client would. @returns whether it existed. */
	removeHook(id: string): boolean {
		const hook = this.store.get(id);
		if (hook) this.store.remove(hook);
		return hook !== undefined;
	}

	/** Disables a webhook: no more deliveries, `disabled: true` in lists. @returns whether it existed. */
	disableHook(id: string): boolean {
		const hook = this.store.get(id);
		if (hook) this.store.disable(hook);
		return hook !== undefined;
	}

	/** Calls the listener right after any webhook changes. @returns a function that removes the listener. */
	onHooksChange(listener: () => void): () => void {
		return this.store.onChange(listener);
	}

	get switches(): Readonly<Switches> {
		return this.currentSwitches;
	}

	/** @throws ZodError for an unknown switch or an invalid value; then nothing changes. */
	setSwitches(changes: SwitchChanges): void {
		this.currentSwitches = changeSwitches(this.currentSwitches, changes);
	}

	get faults(): ActiveFault[] {
		return this.faultList.list();
	}

	/** @throws ZodError for an invalid fault. @returns its ID. */
	addFault(fault: Fault): number {
		return this.faultList.add(fault);
	}

	/** Removes one fault, or all. */
	clearFaults(id?: number): void {
		this.faultList.clear(id);
	}

	/** Logs an API request that has just arrived. */
	logRequest(request: Pick<LoggedRequest, 'method' | 'path' | 'query'>): LoggedRequest {
		const logged: LoggedRequest = {
			id: ++this.requestCount,
			at: performance.now(),
			receivedAt: new Date().toISOString(),
			...request,
			...{ body: undefined, status: undefined, ms: undefined },
			faults: [],
		};
		this.requestLog.push(logged);
		return logged;
	}

	/** The newest API requests (`requestLogSize`), oldest first. */
	get requests(): readonly LoggedRequest[] {
		return this.requestLog.newest();
	}

	/** Forgets the requests, but not their count, so that an ID is never used twice. */
	clearRequests(): void {
		this.requestLog.clear();
	}

	stats(apiKey?: string): Stats {
		return this.keys.stats(apiKey);
	}

	/**
	 * Sends an event: a complete activity (with `_id`, `teamId` and `createdAt`), or a type with the fields that differ from
	 * a sample; a field that is `undefined` is omitted. Resolves once the outcome of each delivery is final.
	 */
	emit(input: ActivityInput, options?: EmitOptions): Promise<LedgerEntry[]> {
		return this.emitter.emit(input, options);
	}

	/** Sends many events at once, as far as the number of deliveries in flight is limited. */
	async emitMany(inputs: readonly ActivityInput[]): Promise<EmitManySummary> {
		const attempts = (await Promise.all(inputs.map((input) => this.emit(input)))).flat();
		const outcomes: Record<string, number> = {};
		for (const { status, error } of attempts) {
			const outcome = String(status ?? error);
			outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
		}
		const final = attempts.filter((attempt) => attempt.final);
		const delivered = final.filter(isDelivered).length;
		return { delivered, failed: final.length - delivered, outcomes };
	}

	/** The newest delivery attempts (`LEDGER_SIZE`), oldest first. */
	get ledger(): readonly LedgerEntry[] {
		return this.attempts.newest();
	}

	/** Ends deliveries: those in flight are aborted, and those that wait are not sent. */
	async stopDeliveries(): Promise<void> {
		await this.dispatcher.close();
	}
}
