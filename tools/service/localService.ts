/** The state of a local service, and what tests and the control API do with it. */
import { randomBytes } from 'node:crypto';
import { Emitter, type LedgerEntry } from './delivery';
import { FaultList, type Fault } from './faults';
import { DEFAULT_TEAM, type Activity } from './model/activity';
import { HookStore, toHookView, type HookFields, type HookView } from './model/hooks';
import { RateLimiter } from './rateLimit';
import { addTo } from './support';
import { changeSwitches, DEFAULT_SWITCHES, type SwitchChanges, type Switches } from './switches';

/** How many API requests to keep. */
const REQUEST_LOG_SIZE = 20_000;

/** A request to the API, as received. */
export interface LoggedRequest {
	/** Milliseconds on the monotonic clock of the service's process (`performance.now()`). */
	readonly at: number;
	/** ISO 8601, UTC. */
	readonly receivedAt: string;
	readonly method: string;
	/** Relative to the base URL, such as `/hooks`. */
	readonly path: string;
	/** A `secret` is redacted as `(set)`, here and in `body`. */
	readonly query: unknown;
	/** The API key, if it was valid. */
	apiKey?: string;
	/** The parsed JSON. Undefined if it isn't JSON, or was not read. */
	body?: unknown;
	/** Undefined until the response is sent, and for good if the connection was cut. */
	status?: number;
	/** Set if the request was rejected because it exceeded the rate limit (§8). */
	overLimit?: true;
	/** The faults that were applied. */
	faults: Array<Fault['kind']>;
}

export interface StateOptions {
	/** API keys of one team. Default: a random one. */
	apiKeys?: readonly string[];
	switches?: SwitchChanges;
}

/** Several services in one process share nothing. */
export class LocalService {
	/** The API's base URL with its prefix, such as `http://127.0.0.1:4010/api`, once the service listens. */
	baseUrl = '';
	/** The URL of the control page and API; empty without them. */
	controlUrl = '';
	/** The first key. */
	readonly apiKey: string;
	private currentSwitches: Switches;

	readonly keys = new Map<string, { team: string; limiter: RateLimiter }>();
	readonly store = new HookStore();
	readonly faultList = new FaultList();
	private readonly emitter = new Emitter(this.store, () => this.currentSwitches);
	/** The newest API requests (`REQUEST_LOG_SIZE`), oldest first. */
	readonly requests: LoggedRequest[] = [];
	/** The newest delivery attempts, oldest first. */
	readonly ledger: readonly LedgerEntry[] = this.emitter.ledger;

	/** @throws ZodError for invalid switches */
	constructor({ apiKeys = [], switches = {} }: StateOptions) {
		const [first = `local-${randomBytes(12).toString('hex')}`, ...others] = apiKeys;
		this.apiKey = first;
		for (const key of [first, ...others]) this.addApiKey(key);
		this.currentSwitches = changeSwitches(DEFAULT_SWITCHES, switches);
	}

	/** @param team Default: that of the first key, as in a key rotation */
	addApiKey(key: string, team = DEFAULT_TEAM): void {
		this.keys.set(key, { team, limiter: new RateLimiter() });
	}

	removeApiKey(key: string): void {
		this.keys.delete(key);
	}

	/** The webhooks of one team, or of all teams, oldest first; never with a secret. */
	hooks(team?: string): HookView[] {
		return this.store.list(team).map(toHookView);
	}

	/** Adds a webhook as another client would, without validation or limits. `team` defaults to that of the first key. */
	addHook({ team = DEFAULT_TEAM, ...fields }: HookFields & { team?: string }): HookView {
		return toHookView(this.store.add(team, fields));
	}

	/** Removes a webhook as another client would. @returns whether it existed. */
	removeHook(id: string): boolean {
		return this.store.remove(id) !== undefined;
	}

	/** Disables a webhook: no more deliveries, `disabled: true` in lists. @returns whether it existed. */
	disableHook(id: string): boolean {
		return this.store.update(id, { disabled: true }) !== undefined;
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

	get faults(): Fault[] {
		return this.faultList.list();
	}

	/** @throws ZodError for an invalid fault */
	addFault(fault: Fault): void {
		this.faultList.add(fault);
	}

	clearFaults(): void {
		this.faultList.clear();
	}

	/** Logs an API request that has just arrived. */
	logRequest(request: Pick<LoggedRequest, 'method' | 'path' | 'query'>): LoggedRequest {
		const logged: LoggedRequest = {
			at: performance.now(),
			receivedAt: new Date().toISOString(),
			...request,
			faults: [],
		};
		addTo(this.requests, logged, REQUEST_LOG_SIZE);
		return logged;
	}

	clearRequests(): void {
		this.requests.length = 0;
	}

	/** The requests that were rejected because they exceeded the rate limit. */
	get refused(): LoggedRequest[] {
		return this.requests.filter(({ overLimit }) => overLimit);
	}

	/**
	 * Sends an event: a complete activity (with `_id`, `teamId` and `createdAt`), or a type with the fields that differ from
	 * a sample; a field that is `undefined` is omitted. Resolves once the outcome of each delivery is final.
	 * @param copies how many each matching webhook receives at the same time
	 */
	emit(input: Activity, { copies = 1 } = {}): Promise<LedgerEntry[]> {
		return this.emitter.emit(input, copies);
	}

	/** Sends many events at once, as far as deliveries in flight are limited. @returns the attempts by status or error */
	async emitMany(inputs: readonly Activity[]): Promise<Record<string, number>> {
		const outcomes: Record<string, number> = {};
		for (const attempts of await Promise.all(inputs.map((input) => this.emit(input)))) {
			for (const { status, error } of attempts) {
				const outcome = String(status ?? error);
				outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
			}
		}
		return outcomes;
	}

	/** Ends deliveries: those in flight are aborted, and those that wait are not sent. */
	async stopDeliveries(): Promise<void> {
		await this.emitter.close();
	}
}
