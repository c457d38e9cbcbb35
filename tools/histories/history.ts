/** What a history is: random steps, one after the other, with checks by the oracle after each. */
import fc, {
	type AsyncCommand,
	type CommandsContraints,
	type MaybeWeightedArbitrary,
} from 'fast-check';
import type { Oracle } from './oracle';

/** What decides whether a step can be taken. */
export type State = Pick<Oracle, 'world' | 'troubles'>;

/** Something that one of n8n, its users, the service and other clients of it does, with the chosen values. */
export interface Step extends AsyncCommand<Oracle, AfterStep> {
	readonly kind: string;
	check(state: State): boolean;
	carryOut(oracle: Oracle): Promise<void>;
}

/** Is called after each step of a history. @throws if something is not true that must be */
export type AfterStep = (step: Step) => Promise<void>;

/** Random steps, each kind with how often it is chosen, compared with others (default: 1). */
export type Alphabet = Array<MaybeWeightedArbitrary<Step>>;

/**
 * Defines a kind of step, with random values.
 *
 * @param isPossible whether the step can be taken in this state (default: always)
 */
export const kindOfStep = <Values>(
	kind: string,
	values: fc.Arbitrary<Values>,
	carryOut: (oracle: Oracle, values: Values) => Promise<void> | void,
	isPossible: (state: State, values: Values) => boolean = () => true,
): fc.Arbitrary<Step> =>
	values.map((chosen) => ({
		kind,
		check: (state) => isPossible(state, chosen),
		carryOut: async (oracle) => {
			await carryOut(oracle, chosen);
		},
		async run(oracle, afterStep) {
			await this.carryOut(oracle);
			await afterStep(this);
		},
		toString: () => `${kind} ${fc.stringify(chosen)}`,
	}));

/** Carries out those of these steps that are possible when it is their turn. */
export async function carryOutAll(steps: readonly Step[], oracle: Oracle): Promise<void> {
	for (const step of steps) if (step.check(oracle)) await step.carryOut(oracle);
}

/** One step that consists of several, between which nothing is checked. */
export const inTurn = (kind: string, ...parts: Array<fc.Arbitrary<Step>>): fc.Arbitrary<Step> =>
	kindOfStep<Step[]>(kind, fc.tuple(...parts), (oracle, steps) => carryOutAll(steps, oracle));

/** Steps in the order in which they are taken. */
export type History = Iterable<AsyncCommand<Oracle, AfterStep>>;

/** A random history of these steps, of which those that are not possible when it is their turn are left out. */
export const anyHistory = (
	alphabet: Alphabet,
	constraints: CommandsContraints,
): fc.Arbitrary<History> =>
	fc.commands<Oracle, AfterStep, false>([fc.oneof(...alphabet)], constraints);

/** @throws what a step, or the check after it, throws */
export const runHistory = async (history: History, oracle: Oracle, afterStep: AfterStep) =>
	await fc.asyncModelRun(() => ({ model: oracle, real: afterStep }), history);
