/** Tells an active trigger how the rotation of one of its webhooks proceeds. */
export type RotationListener = {
	/** The successor was created. Until `replaced` or `dropped`, the trigger accepts both secrets. */
	created(id: string): void;
	/** The old webhook was removed. */
	replaced(): void;
	/** The successor was not created, or is removed again. */
	dropped(): void;
};

/** For a webhook that no trigger of this process uses. */
export const NO_LISTENER: RotationListener = {
	created: () => undefined,
	replaced: () => undefined,
	dropped: () => undefined,
};
