import type { FaultList } from '../faults/faultList';
import type { HookStore } from '../store/hookStore';
import type { Keyring } from '../store/keyring';
import type { Switches } from '../switches';
import type { RequestLog } from './requestLog';

/** The parts of one service that the API uses. */
export interface ApiParts {
	store: HookStore;
	keys: Keyring;
	faults: FaultList;
	log: RequestLog;
	switches: () => Switches;
}
