/** What a history is: steps in a system, one after the other, with a check after each. */
import fc, { type AsyncCommand, type CommandsContraints } from 'fast-check';

/** Is called around each step of a history. */
export interface Observer {
	beforeStep?(kind: string): void;
	/**
	 * Checks what must be true after each step.
	 *
	 * @throws if something is not
	 */
	afterStep(step: string): Promise<void>;
}

/** Something that one of n8n, its users, the service and other clients of it does, with the chosen values. */
export interface Step<In> {
	readonly kind: string;
	readonly values: unknown;
	/** The step in the line of a history that failed. */
	readonly text: string;
	isPossible(system: In): boolean;
	carryOut(system: In): Promise<void>;
	/** For fast-check. */
	readonly [fc.toStringMethod]: () => string;
}

/** Random steps of one kind, as an alternative for `anyHistory`. */
export interface Steps<In> {
	/** How often they are chosen, compared with others. */
	weight: number;
	arbitrary: fc.Arbitrary<Step<In>>;
}

interface Parts<Values, In> {
	/** Whether the step is possible in this state (default: always). */
	isPossible?: (values: Values, system: In) => boolean;
	run: (values: Values, system: In) => Promise<void> | void;
}

function stepOf<Values, In>(
	kind: string,
	values: Values,
	{ isPossible = () => true, run }: Parts<Values, In>,
): Step<In> {
	const text = `${kind} ${JSON.stringify(values, withSteps)}`;
	return {
		kind,
		values,
		text,
		[fc.toStringMethod]: () => text,
		isPossible: (system) => isPossible(values, system),
		carryOut: async (system) => {
			await run(values, system);
		},
	};
}

const isStep = (value: unknown): value is Step<never> =>
	typeof value === 'object' && value !== null && 'carryOut' in value && 'kind' in value;

/** Writes steps that are values of another one. */
const withSteps = (_: string, value: unknown): unknown =>
	isStep(value) ? { [value.kind]: value.values } : value;

/**
 * Defines a kind of step, once for all systems that have what `run` needs.
 *
 * @returns a function that makes random steps of this kind, from random values
 */
export const kindOfStep =
	<Values extends object, In>(kind: string, parts: Parts<Values, In>) =>
	(values: fc.Arbitrary<Values>, weight = 1): Steps<In> => ({
		weight,
		arbitrary: values.map((chosen) => stepOf(kind, chosen, parts)),
	});

/** For kinds of steps without random values. */
export const noValues = fc.constant({});

/** Carries out those of these steps that are possible when it is their turn. */
export async function carryOutAll<In>(steps: ReadonlyArray<Step<In>>, system: In): Promise<void> {
	for (const step of steps) if (step.isPossible(system)) await step.carryOut(system);
}

/** One step that consists of several, between which nothing is checked. */
export const inTurn = <In>(kind: string, parts: Array<Steps<In>>, weight = 1): Steps<In> => ({
	weight,
	arbitrary: fc
		.tuple(...parts.map(({ arbitrary }) => arbitrary))
		.map((steps) => stepOf(kind, steps, { run: carryOutAll })),
});

/** These steps, where they are possible and something else is true. */
export const onlyIf = <In>(
	isTrue: (system: In) => boolean,
	{ weight, arbitrary }: Steps<In>,
): Steps<In> => ({
	weight,
	arbitrary: arbitrary.map((step) => ({
		...step,
		isPossible: (system) => isTrue(system) && step.isPossible(system),
	})),
});

/** Steps in the order in which they are taken. */
export type History<In extends object> = Iterable<AsyncCommand<In, Observer>>;

/** A random history of these steps, of which those that are not possible when it is their turn are left out. */
export const anyHistory = <In extends object>(
	alphabet: Array<Steps<In>>,
	constraints: CommandsContraints,
): fc.Arbitrary<History<In>> =>
	fc.commands<In, Observer, false>([fc.oneof(...alphabet).map(commandOf)], constraints);

const commandOf = <In extends object>(step: Step<In>): AsyncCommand<In, Observer> => ({
	check: (system) => step.isPossible(system),
	run: async (system, observer) => {
		observer.beforeStep?.(step.kind);
		await step.carryOut(system);
		await observer.afterStep(step.text);
	},
	toString: () => step.text,
});

/** @throws what a step, or the check after it, throws */
export async function runHistory<In extends object>(
	history: History<In>,
	system: In,
	observer: Observer,
): Promise<void> {
	await fc.asyncModelRun(() => ({ model: system, real: observer }), history);
}
