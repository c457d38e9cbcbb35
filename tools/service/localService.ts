import type { EmitOptions } from './delivery/emitter';
import { emitMany, type EmitManyOptions } from './delivery/emitMany';
import type { Fault } from './faults/faultSchema';
import type { ActivityInput } from './model/activity';
import { toHookView, type HookFields, type HookView } from './model/hook';
import type { ServiceParts } from './serviceParts';
import type { RunningService, Stats } from './serviceTypes';
import type { SwitchChanges, Switches } from './switches';

/** The URLs of a running service, and how to close its servers. */
export interface Listening {
	baseUrl: string;
	controlUrl: string;
	close: () => Promise<void>;
}

/** The programmatic interface of a service. `RunningService` describes each member. */
export class LocalService implements RunningService {
	private closing: Promise<void> | undefined;
	private listening: Listening | undefined;

	constructor(readonly parts: ServiceParts) {}

	/** Sets the URLs once the servers are listening. */
	listensAt(listening: Listening): this {
		this.listening = listening;
		return this;
	}

	get baseUrl(): string {
		return this.listening?.baseUrl ?? '';
	}

	get controlUrl(): string {
		return this.listening?.controlUrl ?? '';
	}

	get apiKey(): string {
		return this.parts.apiKey;
	}

	addApiKey(key: string, team?: string | null): void {
		this.parts.keys.add(key, team);
	}

	removeApiKey(key: string): boolean {
		return this.parts.keys.remove(key);
	}

	stats(apiKey?: string): Stats {
		return this.parts.keys.stats(apiKey);
	}

	hooks(team?: string): HookView[] {
		return this.parts.store.list(team).map(toHookView);
	}

	addHook({ team = this.parts.team, ...fields }: HookFields & { team?: string }): HookView {
		return toHookView(this.parts.store.add(team, fields));
	}

	removeHook(id: string): boolean {
		const hook = this.parts.store.get(id);
		if (hook) this.parts.store.remove(hook);
		return hook !== undefined;
	}

	disableHook(id: string): boolean {
		const hook = this.parts.store.get(id);
		if (hook) this.parts.store.disable(hook);
		return hook !== undefined;
	}

	onHooksChange(listener: () => void): () => void {
		return this.parts.store.onChange(listener);
	}

	get switches(): Readonly<Switches> {
		return this.parts.switchStore.current;
	}

	setSwitches(changes: SwitchChanges): void {
		this.parts.switchStore.set(changes);
	}

	get faults() {
		return this.parts.faults.view();
	}

	addFault(fault: Fault): number {
		return this.parts.faults.add(fault);
	}

	clearFaults(id?: number): void {
		this.parts.faults.clear(id);
	}

	get requests() {
		return this.parts.log.entries();
	}

	clearRequests(): void {
		this.parts.log.clear();
	}

	get ledger() {
		return this.parts.ledger.entries();
	}

	emit(input: ActivityInput, options?: EmitOptions) {
		return this.parts.emitter.emit(input, options);
	}

	emitMany(
		source: Iterable<ActivityInput> | AsyncIterable<ActivityInput>,
		options?: EmitManyOptions,
	) {
		return emitMany(source, (input, emitOptions) => this.emit(input, emitOptions), options);
	}

	close(): Promise<void> {
		this.closing ??= this.listening?.close() ?? Promise.resolve();
		return this.closing;
	}
}
