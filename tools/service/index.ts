/** The local service: implements the API spec, with a switch for everything that the spec leaves open. */
export { startService, type RunningService, type ServiceOptions } from './startService';
export type { LoggedRequest } from './api/requestLog';
export type { LedgerEntry } from './delivery/dispatcher';
export type { EmitManyOptions, EmitManySummary } from './delivery/emitMany';
export type { Fault } from './faults/fault';
export type { ActivityInput } from './model/activity';
export { EVENT_LABELS, EVENT_TYPES, groupCovers, type EventType } from './model/eventTypes';
export type { HookFields, HookView } from './model/hooks';
export { sampleActivity, sampleThirdPartyReply } from './model/sampleActivity';
export { DEFAULT_SWITCHES, type SwitchChanges } from './switches';
