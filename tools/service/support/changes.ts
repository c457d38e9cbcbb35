/** The parts of the state whose changes the control page shows. */
export type Topic = 'hooks' | 'switches' | 'faults' | 'requests';

/** Notifies listeners that a part of the state has changed. Listeners read the new state themselves. */
export class Changes {
	private readonly listeners = new Set<(topic: Topic) => void>();

	notify(topic: Topic): void {
		for (const listener of this.listeners) listener(topic);
	}

	/** @returns a function that removes the listener. */
	listen(listener: (topic: Topic) => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}
}
