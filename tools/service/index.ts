/** The local service: implements the API spec, with a switch for everything that the spec leaves open. */
export { startService } from './startService';
export type { KeyOption, RunningService, ServiceOptions, Stats } from './serviceTypes';
export type { LoggedRequest } from './api/requestLog';
export type { EmitManyOptions } from './delivery/emitMany';
export type { EmitManySummary } from './delivery/tally';
export type { EmitOptions } from './delivery/emitter';
export type { LedgerEntry } from './delivery/ledger';
export type { Fault, FaultKind } from './faults/faultSchema';
export type { Activity, ActivityInput, Recipient } from './model/activity';
export { DEFAULT_TEAM } from './model/activity';
export type { EventType } from './model/eventTypes';
export { EVENT_TYPES, REMOVED_EVENT_TYPES, STATE_GROUPS } from './model/eventTypes';
export type { HookFields, HookView, PublicHook } from './model/hook';
export {
	ACTIVITY_FACTORIES,
	sampleActivity,
	sampleThirdPartyReply,
} from './samples/sampleActivity';
export type { SwitchChanges, Switches } from './switches';
export { DEFAULT_SWITCHES } from './switches';
