import type { AsyncCommand } from 'fast-check';
import { checkAfterStep } from '../checks';
import type { Model, WorkflowModel } from '../model';
import type { World } from '../world';

/** A user action, an event or a fault. Its text is a line of a history. */
export type Step = AsyncCommand<Model, World>;

interface StepParts {
	/** A short label, for statistics. */
	kind: string;
	/** A line of a history. */
	text: string;
	/** Whether the step is possible in this state (default: always). */
	isPossible?: (model: Readonly<Model>) => boolean;
	run: (model: Model, world: World) => Promise<void> | void;
}

export function step({ kind, text, isPossible = () => true, run }: StepParts): Step {
	return {
		check: isPossible,
		run: async (model, world) => {
			world.environment.onStep(kind, text);
			await run(model, world);
			const problems = await checkAfterStep(model, world);
			if (problems.length > 0) throw new Error(`After '${kind}':\n  ${problems.join('\n  ')}`);
		},
		toString: () => text,
	};
}

/** The parts of a text that apply, separated by commas. */
export const listed = (...parts: Array<string | false>): string =>
	parts.filter((part) => part !== false).join(', ');

/** The model of a workflow, by its index. */
export function workflowOf({ workflows }: Readonly<Model>, index: number): WorkflowModel {
	const workflow = workflows[index];
	if (workflow === undefined) throw new Error(`No workflow ${index}`);
	return workflow;
}
