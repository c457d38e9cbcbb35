import { randomBytes } from 'node:crypto';
import type { ApiParts } from './api/apiApp';
import type { LoggedRequest } from './api/requestLog';
import { Dispatcher } from './delivery/dispatcher';
import { EventEmission, type EmitOptions } from './delivery/emitter';
import { emitMany, type EmitManyOptions } from './delivery/emitMany';
import { Ledger } from './delivery/ledger';
import { FaultList } from './faults/faultList';
import type { Fault } from './faults/faultSchema';
import { DEFAULT_TEAM, type ActivityInput } from './model/activity';
import { toHookView, type HookFields, type HookView } from './model/hook';
import { seedHooks } from './samples/seedHooks';
import type { RunningService, ServiceOptions, Stats } from './serviceTypes';
import { HookStore } from './store/hookStore';
import { Keyring } from './store/keyring';
import { Changes } from './support/changes';
import { Ring } from './support/ring';
import { changeSwitches, DEFAULT_SWITCHES, type SwitchChanges, type Switches } from './switches';

/** One service: its state, and what can be done with it from the outside. */
export class LocalService implements RunningService {
	baseUrl = '';
	controlUrl = '';
	readonly apiKey: string;
	readonly changes = new Changes();
	readonly deliveries: Ledger;
	readonly parts: ApiParts;
	private readonly team: string;
	private readonly store = new HookStore(() => {
		this.changes.announce('hooks');
	});
	private readonly keys = new Keyring();
	private readonly faultList = new FaultList(() => {
		this.changes.announce('faults');
	});
	private readonly log: Ring<LoggedRequest>;
	private readonly dispatcher: Dispatcher;
	private readonly emission: EventEmission;
	private current: Switches;
	private closeServers: () => Promise<void> = async () => undefined;
	private closing: Promise<void> | undefined;

	constructor(options: ServiceOptions) {
		const [first = { key: `local-${randomBytes(12).toString('hex')}` }, ...others] = (
			options.apiKeys ?? []
		).map((entry) => (typeof entry === 'string' ? { key: entry } : entry));
		this.apiKey = first.key;
		this.team = first.team ?? DEFAULT_TEAM;
		for (const { key, team } of [first, ...others]) this.addApiKey(key, team);

		const switches = () => this.current;
		this.current = changeSwitches(DEFAULT_SWITCHES, options.switches ?? {});
		this.log = new Ring(options.requestLogSize ?? 5000);
		this.deliveries = new Ledger(options.ledgerSize ?? 2000);
		this.dispatcher = new Dispatcher(this.store, this.deliveries, switches);
		this.emission = new EventEmission(this.store, this.dispatcher, switches, this.team);
		const { store, keys, faultList: faults, log } = this;
		this.parts = { store, keys, faults, log, switches };
		for (const hook of seedHooks(options.seedHooks ?? 0)) this.addHook(hook);
	}

	addApiKey(key: string, team?: string | null): void {
		this.keys.add(key, team === null ? undefined : (team ?? this.team));
	}

	removeApiKey(key: string): boolean {
		return this.keys.remove(key);
	}

	hooks(team?: string): HookView[] {
		return this.store.list(team).map(toHookView);
	}

	addHook({ team = this.team, ...fields }: HookFields & { team?: string }): HookView {
		return toHookView(this.store.add(team, fields));
	}

	removeHook(id: string): boolean {
		const hook = this.store.get(id);
		if (hook) this.store.remove(hook);
		return hook !== undefined;
	}

	disableHook(id: string): boolean {
		const hook = this.store.get(id);
		if (hook) this.store.disable(hook);
		return hook !== undefined;
	}

	get switches(): Readonly<Switches> {
		return this.current;
	}

	setSwitches(changes: SwitchChanges): void {
		this.current = changeSwitches(this.current, changes);
		this.changes.announce('switches');
	}

	addFault(fault: Fault): number {
		return this.faultList.add(fault);
	}

	clearFaults(id?: number): void {
		this.faultList.clear(id);
	}

	get faults() {
		return this.faultList.view();
	}

	get requests() {
		return this.log.all();
	}

	clearRequests(): void {
		this.log.clear();
	}

	stats(apiKey?: string): Stats {
		const arrivals = this.keys
			.all()
			.filter(({ key }) => apiKey === undefined || key === apiKey)
			.map((key) => key.arrivals);
		return {
			requests: arrivals.reduce((sum, { requests }) => sum + requests, 0),
			refused: arrivals.reduce((sum, { refused }) => sum + refused, 0),
			maxStartsInWindow: Math.max(0, ...arrivals.map(({ maxStartsInWindow }) => maxStartsInWindow)),
		};
	}

	emit(input: ActivityInput, options?: EmitOptions) {
		return this.emission.emit(input, options);
	}

	emitMany(
		source: Iterable<ActivityInput> | AsyncIterable<ActivityInput>,
		options?: EmitManyOptions,
	) {
		return emitMany(source, (input, how) => this.emit(input, how), options);
	}

	get ledger() {
		return this.deliveries.entries();
	}

	/** What `close` has to end besides deliveries. */
	onClose(close: () => Promise<void>): void {
		this.closeServers = close;
	}

	stopDeliveries(): Promise<void> {
		return this.dispatcher.close();
	}

	close(): Promise<void> {
		this.closing ??= this.closeServers();
		return this.closing;
	}
}
