/** The local service: implements the API, with switches for what the API leaves open. */
export type { LedgerEntry } from './delivery';
export type { Fault } from './faults';
export type { LoggedRequest } from './localService';
export { sampleActivity } from './model/activity';
export { EVENT_TYPES } from './model/eventTypes';
export type { HookFields, HookView } from './model/hooks';
export { startService, type RunningService, type ServiceOptions } from './startService';
export { DEFAULT_SWITCHES, type SwitchChanges } from './switches';
