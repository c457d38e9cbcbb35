import { randomBytes } from 'node:crypto';
import { Keyring, type Stats } from './api/keyring';
import { RequestLog, type LoggedRequest } from './api/requestLog';
import { Dispatcher, type LedgerEntry } from './delivery/dispatcher';
import { emitMany, type EmitManyOptions, type EmitManySummary } from './delivery/emitMany';
import { Emitter, type EmitOptions } from './delivery/emitter';
import type { Fault } from './faults/fault';
import { FaultList, type ActiveFault } from './faults/faultList';
import { DEFAULT_TEAM, type ActivityInput } from './model/activity';
import { HookStore, toHookView, type HookFields, type HookView } from './model/hooks';
import { Ring } from './support';
import { changeSwitches, DEFAULT_SWITCHES, type SwitchChanges, type Switches } from './switches';

const DEFAULT_LEDGER_SIZE = 2000;
const DEFAULT_REQUEST_LOG_SIZE = 5000;

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
	/** How many delivery attempts to keep. Default: `DEFAULT_LEDGER_SIZE`. */
	ledgerSize?: number;
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
	readonly log: RequestLog;
	readonly attempts: Ring<LedgerEntry>;
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
		this.log = new RequestLog(options.requestLogSize ?? DEFAULT_REQUEST_LOG_SIZE);
		this.attempts = new Ring(options.ledgerSize ?? DEFAULT_LEDGER_SIZE);
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

	/** The newest API requests (`requestLogSize`), oldest first. */
	get requests(): readonly LoggedRequest[] {
		return this.log.newest();
	}

	clearRequests(): void {
		this.log.clear();
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

	/** Sends many events, reading the source only as fast as it sends. */
	emitMany(
		source: Iterable<ActivityInput> | AsyncIterable<ActivityInput>,
		options?: EmitManyOptions,
	): Promise<EmitManySummary> {
		return emitMany(source, (input, emitOptions) => this.emit(input, emitOptions), options);
	}

	/** The newest delivery attempts (`ledgerSize`), oldest first. */
	get ledger(): readonly LedgerEntry[] {
		return this.attempts.newest();
	}

	/** Ends deliveries: those in flight are aborted, and those that wait are not sent. */
	async stopDeliveries(): Promise<void> {
		await this.dispatcher.close();
	}
}
