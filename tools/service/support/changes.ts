/** What the control page shows and what can change under it. */
export type Topic = 'hooks' | 'switches' | 'faults';

/** Tells whoever listens that something changed; not what, since listeners look for themselves. */
export class Changes {
	private readonly listeners = new Set<(topic: Topic) => void>();

	announce(topic: Topic): void {
		for (const listener of this.listeners) listener(topic);
	}

	/** @returns what ends the calls. */
	listen(listener: (topic: Topic) => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}
}
