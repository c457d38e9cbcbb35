/** Stands for all events in the trigger's selection. */
export const ALL_EVENTS = '*';
/** Brings the activities of other types too (§6.1). */
export const STATE_GROUP = 'warmed';
/** A type that the node's list does not have. */
export const CUSTOM_EVENT = 'brandNew';

/** Activities of these types reach every webhook that a selection here can make. */
export const ACTIVITY_TYPES = ['paused', 'emailsReplied', 'smsReplied', CUSTOM_EVENT] as const;
