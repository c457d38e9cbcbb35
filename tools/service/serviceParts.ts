import { randomBytes } from 'node:crypto';
import type { RequestLog } from './api/requestLog';
import { Dispatcher } from './delivery/dispatcher';
import { EventEmission } from './delivery/emitter';
import { Ledger } from './delivery/ledger';
import { FaultList } from './faults/faultList';
import { DEFAULT_TEAM } from './model/activity';
import { seedHooks } from './samples/seedHooks';
import type { KeyOption, ServiceOptions } from './serviceTypes';
import { HookStore } from './store/hookStore';
import { Keyring } from './store/keyring';
import { Changes } from './support/changes';
import { Ring } from './support/ring';
import { changeSwitches, DEFAULT_SWITCHES, type SwitchChanges, type Switches } from './switches';

/** What one service is made of. */
export interface ServiceParts {
	/** The first key, and the team that things belong to unless told otherwise. */
	apiKey: string;
	team: string;
	changes: Changes;
	switchboard: Switchboard;
	switches: () => Switches;
	store: HookStore;
	keys: Keyring;
	faults: FaultList;
	log: RequestLog;
	ledger: Ledger;
	dispatcher: Dispatcher;
	emission: EventEmission;
}

/** The switches as they stand. */
export class Switchboard {
	constructor(
		public current: Switches,
		private readonly changed: () => void,
	) {}

	/** @throws ZodError for an unknown switch or value; nothing is changed then. */
	set(changes: SwitchChanges): void {
		this.current = changeSwitches(this.current, changes);
		this.changed();
	}
}

/** Puts a service together, from nothing that another one has. @throws ZodError for switches that don't exist. */
export function createParts(options: ServiceOptions): ServiceParts {
	const given = (options.apiKeys ?? []).map(
		(entry): KeyOption => (typeof entry === 'string' ? { key: entry } : entry),
	);
	const [first = { key: `local-${randomBytes(12).toString('hex')}` }, ...others] = given;
	const team = first.team ?? DEFAULT_TEAM;
	const keys = new Keyring(team);
	for (const { key, team: ofKey } of [first, ...others]) keys.add(key, ofKey);

	const changes = new Changes();
	const switchboard = new Switchboard(
		changeSwitches(DEFAULT_SWITCHES, options.switches ?? {}),
		() => {
			changes.announce('switches');
		},
	);
	const switches = () => switchboard.current;
	const store = new HookStore(() => {
		changes.announce('hooks');
	});
	for (const hook of seedHooks(options.seedHooks ?? 0)) store.add(team, hook);
	const faults = new FaultList(() => {
		changes.announce('faults');
	});
	const log: RequestLog = new Ring(options.requestLogSize ?? 5000);
	const ledger = new Ledger(options.ledgerSize ?? 2000);
	const dispatcher = new Dispatcher(store, ledger, switches);
	const emission = new EventEmission(store, dispatcher, switches, team);
	return {
		apiKey: first.key,
		team,
		changes,
		switchboard,
		switches,
		store,
		keys,
		faults,
		log,
		ledger,
		dispatcher,
		emission,
	};
}
