import { isDeepStrictEqual } from 'node:util';
import fc, { type AsyncCommand } from 'fast-check';
import { checkAfterStep } from './checks';
import { INITIAL_SETTINGS } from './settings';
import type { World } from './world';

/** A user action, an event or a fault. */
export type Step = AsyncCommand<World, World>;

/** Steps of one kind, as an alternative for `fc.oneof`. */
interface Steps {
	/** How often they are chosen, compared with others. */
	weight: number;
	arbitrary: fc.Arbitrary<Step>;
}

interface Parts<Values> {
	/** Whether the step is possible in this state (default: always). */
	isPossible?: (values: Values, world: Readonly<World>) => boolean;
	run: (values: Values, world: World) => Promise<void> | void;
}

/** @param values random values, which `run` gets, and which follow the kind in the line of a history */
export function steps<Values extends object>(
	weight: number,
	kind: string,
	values: fc.Arbitrary<Values>,
	{ isPossible = () => true, run }: Parts<Values>,
): Steps {
	const stepWith = (chosen: Values): Step => {
		const text = `${kind} ${JSON.stringify(chosen, withoutInitial)}`;
		return {
			check: (world) => isPossible(chosen, world),
			run: async (world) => {
				world.environment.onStep(kind);
				await run(chosen, world);
				const problems = await checkAfterStep(world);
				if (problems.length > 0) throw new Error(`After '${text}':\n  ${problems.join('\n  ')}`);
			},
			toString: () => text,
		};
	};
	return { weight, arbitrary: values.map(stepWith) };
}

const initial: Readonly<Record<string, unknown>> = { ...INITIAL_SETTINGS };

/** Omits settings that are as they were at the beginning. */
const withoutInitial = (name: string, value: unknown): unknown =>
	name in initial && isDeepStrictEqual(value, initial[name]) ? undefined : value;

/** For steps without random values. */
export const nothing = fc.constant({});
