import type { AsyncCommand } from 'fast-check';
import { look } from '../look';
import type { Model } from '../model';
import type { World } from '../world';

/** What happens one after the other. */
export type History = Iterable<AsyncCommand<Model, World>>;

/** Tells of each step that is carried out. */
export type OnStep = (step: Step) => void;

let onStep: OnStep = () => undefined;

/** Has every step from now on told to somebody. */
export function watchSteps(listener: OnStep): void {
	onStep = listener;
}

/** Something that somebody does, or that goes wrong. */
export abstract class Step implements AsyncCommand<Model, World> {
	/** One or two words, for counting. */
	abstract readonly kind: string;

	/** Whether it can be done now; always, if it does not say. */
	protected isPossible?(model: Readonly<Model>): boolean;

	check(model: Readonly<Model>): boolean {
		return this.isPossible?.(model) ?? true;
	}

	async run(model: Model, world: World): Promise<void> {
		onStep(this);
		await this.carryOut(model, world);
		const wrong = await look(model, world);
		if (wrong.length > 0) throw new Error(`After '${this.kind}':\n  ${wrong.join('\n  ')}`);
	}

	protected abstract carryOut(model: Model, world: World): Promise<void>;

	/** A line of a history. */
	abstract toString(): string;
}

/** The model of a workflow, by its place. */
export function workflowOf({ workflows }: Model, place: number) {
	const workflow = workflows[place];
	if (workflow === undefined) throw new Error(`There is no workflow ${place}`);
	return workflow;
}
