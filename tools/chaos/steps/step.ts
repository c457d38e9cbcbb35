import type { AsyncCommand } from 'fast-check';
import { checkAfterStep } from '../checks';
import type { Model } from '../model';
import type { World } from '../world';

/** A sequence of steps. */
export type History = Iterable<AsyncCommand<Model, World>>;

/** Called before each step. */
export type OnStep = (step: Step) => void;

let onStep: OnStep = () => undefined;

/** Sets the listener for all further steps. */
export function watchSteps(listener: OnStep): void {
	onStep = listener;
}

/** A user action, an event or a fault. */
export abstract class Step implements AsyncCommand<Model, World> {
	/** A short label, for statistics. */
	abstract readonly kind: string;

	/** Whether the step is possible in this state (default: always). */
	protected isPossible?(model: Readonly<Model>): boolean;

	check(model: Readonly<Model>): boolean {
		return this.isPossible?.(model) ?? true;
	}

	async run(model: Model, world: World): Promise<void> {
		onStep(this);
		await this.carryOut(model, world);
		const problems = await checkAfterStep(model, world);
		if (problems.length > 0) {
			throw new Error(`After '${this.kind}':\n  ${problems.join('\n  ')}`);
		}
	}

	protected abstract carryOut(model: Model, world: World): Promise<void>;

	/** A line of a history. */
	abstract toString(): string;
}

/** The model of a workflow, by its index. */
export function workflowOf({ workflows }: Model, index: number) {
	const workflow = workflows[index];
	if (workflow === undefined) throw new Error(`No workflow ${index}`);
	return workflow;
}
