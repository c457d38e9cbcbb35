import { randomBytes } from 'node:crypto';
import { RequestLog } from './api/requestLog';
import { Dispatcher } from './delivery/dispatcher';
import { Emitter } from './delivery/emitter';
import { Ledger } from './delivery/ledger';
import { FaultList } from './faults/faultList';
import { DEFAULT_TEAM } from './model/activity';
import { seedHooks } from './samples/seedHooks';
import {
	DEFAULT_LEDGER_SIZE,
	DEFAULT_REQUEST_LOG_SIZE,
	type KeyOption,
	type ServiceOptions,
} from './serviceTypes';
import { HookStore } from './store/hookStore';
import { Keyring } from './store/keyring';
import { changeSwitches, DEFAULT_SWITCHES, type SwitchChanges, type Switches } from './switches';

/** The parts of one service. */
export interface ServiceParts {
	/** The first key. */
	apiKey: string;
	/** The team of the first key, and the default for everything else. */
	team: string;
	switchStore: SwitchStore;
	switches: () => Switches;
	store: HookStore;
	keys: Keyring;
	faults: FaultList;
	log: RequestLog;
	ledger: Ledger;
	dispatcher: Dispatcher;
	emitter: Emitter;
}

/** The current switches. */
export class SwitchStore {
	constructor(public current: Switches) {}

	/** @throws ZodError for an unknown switch or an invalid value; then nothing changes. */
	set(changes: SwitchChanges): void {
		this.current = changeSwitches(this.current, changes);
	}
}

/** Creates the parts of a service, which share no state with another one. @throws ZodError for invalid switches. */
export function createParts(options: ServiceOptions): ServiceParts {
	const given = (options.apiKeys ?? []).map(
		(entry): KeyOption => (typeof entry === 'string' ? { key: entry } : entry),
	);
	const [first = { key: `local-${randomBytes(12).toString('hex')}` }, ...others] = given;
	const team = first.team ?? DEFAULT_TEAM;
	const keys = new Keyring(team);
	for (const { key, team: ofKey } of [first, ...others]) keys.add(key, ofKey);

	const switchStore = new SwitchStore(changeSwitches(DEFAULT_SWITCHES, options.switches ?? {}));
	const switches = () => switchStore.current;
	const store = new HookStore();
	for (const hook of seedHooks(options.seedHooks ?? 0)) store.add(team, hook);
	const faults = new FaultList();
	const log = new RequestLog(options.requestLogSize ?? DEFAULT_REQUEST_LOG_SIZE);
	const ledger = new Ledger(options.ledgerSize ?? DEFAULT_LEDGER_SIZE);
	const dispatcher = new Dispatcher(store, ledger, switches);
	const emitter = new Emitter(store, dispatcher, switches, team);
	return {
		apiKey: first.key,
		team,
		switchStore,
		switches,
		store,
		keys,
		faults,
		log,
		ledger,
		dispatcher,
		emitter,
	};
}
