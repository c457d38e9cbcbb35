/** The value for all events in the trigger's selection. */
export const ALL_EVENTS = '*';
/** A lead state: also delivers activities of other types (§6.1). */
export const LEAD_STATE = 'warmed';
/** A type that is not in the node's list. */
export const CUSTOM_EVENT = 'brandNew';

/** With activities of these types, every webhook that a selection can create receives a delivery. */
export const ACTIVITY_TYPES = ['paused', 'emailsReplied', 'smsReplied', CUSTOM_EVENT] as const;
