/** The local service: implements the API spec, with a switch for everything that the spec leaves open. */
export type { LedgerEntry } from './delivery';
export type { Fault } from './faults';
export type { EmitManySummary, LoggedRequest } from './localService';
export { EVENT_LABELS, EVENT_TYPES, groupCovers, type EventType } from './model/eventTypes';
export type { HookFields, HookView } from './model/hooks';
export { sampleActivity, sampleThirdPartyReply, type ActivityInput } from './model/activity';
export { startService, type RunningService, type ServiceOptions } from './startService';
export { DEFAULT_SWITCHES, type SwitchChanges } from './switches';
