/** What a history is: random steps, one after the other, with checks by the oracle after each. */
import fc, { type AsyncCommand, type CommandsContraints } from 'fast-check';
import type { Oracle } from './oracle';

/** What decides whether a step can be taken. */
export type State = Pick<Oracle, 'world' | 'troubles'>;

/** Something that one of n8n, its users, the service and other clients of it does, with the chosen values. */
export interface Step {
	readonly kind: string;
	readonly values: unknown;
	isPossible(state: State): boolean;
	carryOut(oracle: Oracle): Promise<void>;
}

/** Random steps of one kind, as an alternative for `anyHistory`. */
export interface Steps {
	/** How often they are chosen, compared with others. */
	weight: number;
	arbitrary: fc.Arbitrary<Step>;
}

/**
 * Defines a kind of step.
 *
 * @param isPossible whether the step can be taken in this state (default: always)
 * @returns a function that makes random steps of this kind, from random values
 */
export const kindOfStep =
	<Values>(
		kind: string,
		run: (oracle: Oracle, values: Values) => Promise<void> | void,
		isPossible: (state: State, values: Values) => boolean = () => true,
	) =>
	(values: fc.Arbitrary<Values>, weight = 1): Steps => ({
		weight,
		arbitrary: values.map((chosen) => ({
			kind,
			values: chosen,
			isPossible: (state) => isPossible(state, chosen),
			carryOut: async (oracle) => {
				await run(oracle, chosen);
			},
		})),
	});

/** Carries out those of these steps that are possible when it is their turn. */
export async function carryOutAll(steps: readonly Step[], oracle: Oracle): Promise<void> {
	for (const step of steps) if (step.isPossible(oracle)) await step.carryOut(oracle);
}

/** One step that consists of several, between which nothing is checked. */
export const inTurn = (kind: string, parts: Steps[], weight = 1): Steps =>
	kindOfStep<Step[]>(kind, (oracle, steps) => carryOutAll(steps, oracle))(
		fc.tuple(...parts.map(({ arbitrary }) => arbitrary)),
		weight,
	);

/** Steps in the order in which they are taken. */
export type History = Iterable<AsyncCommand<Oracle, AfterStep>>;

/** Is called after each step. @throws if something is not true that must be */
export type AfterStep = { afterStep: (step: Step) => Promise<void> };

/** A random history of these steps, of which those that are not possible when it is their turn are left out. */
export const anyHistory = (
	alphabet: Steps[],
	constraints: CommandsContraints,
): fc.Arbitrary<History> =>
	fc.commands<Oracle, AfterStep, false>([fc.oneof(...alphabet).map(commandOf)], constraints);

const commandOf = (step: Step): AsyncCommand<Oracle, AfterStep> => ({
	check: (oracle) => step.isPossible(oracle),
	run: async (oracle, { afterStep }) => {
		await step.carryOut(oracle);
		await afterStep(step);
	},
	toString: () => `${step.kind} ${JSON.stringify(step.values)}`,
});

/** @throws what a step, or the check after it, throws */
export const runHistory = async (history: History, oracle: Oracle, afterStep: AfterStep) =>
	await fc.asyncModelRun(() => ({ model: oracle, real: afterStep }), history);
