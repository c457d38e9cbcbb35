/** How both nodes read their parameters: what a workflow stores, with the results of its expressions, checked by a schema. */
import type { INodeProperties, NodeOperationError } from 'n8n-workflow';
import type { z } from 'zod';

import { isJsonObject, parseJson } from '../utils/json';
import { labelOf } from './labels';
import { isNothing, problemWithResult } from './leftOut';
import { isExpression } from './values';

/** What the two nodes do differently. */
export type ParameterSource = {
	/** The parameters, as the editor shows them: an error names a parameter, or a field in it, by its label. */
	properties: readonly INodeProperties[];
	/** A parameter as the workflow stores it, in which an expression is a text that begins with an equals sign. */
	stored: (path: string) => unknown;
	/** What the expression at a path returns. */
	evaluate: (path: string) => unknown;
	/** Why an expression cannot be used here, whatever it returns; undefined when it can. */
	problemWithExpression?: (expression: string) => string | undefined;
	/** Whether a field of a stored object is kept as it is, with any expression in it. */
	isKeptAsStored?: (object: Readonly<Record<string, unknown>>, field: string) => boolean;
	/** Whether an expression may return nothing: its field then counts as left out. */
	mayReturnNothing?: (expression: string) => boolean;
	/**
	 * The error for a parameter that cannot be used.
	 * @param label the name that the editor shows
	 * @param reason sentences without a full stop at the end; it quotes no value that may be a secret
	 */
	parameterError: (label: string, reason: string) => NodeOperationError;
};

/** A value without what is left empty: null and a text without characters become undefined, also in a collection. */
function withoutEmptyTexts(value: unknown): unknown {
	if (value === '' || value === null) return undefined;
	if (!isJsonObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value).filter(([, field]) => field !== '' && field !== null),
	);
}

/** A date as text in ISO 8601, or null: `{{ $now }}` and `{{ new Date() }}` return objects, which know how to be written. */
const writtenOut = (result: unknown): unknown =>
	typeof result === 'object' && result !== null && 'toJSON' in result
		? parseJson(JSON.stringify(result))
		: result;

/** Reads the parameters of a node, or of one item of its execution. */
export class ParameterReader {
	constructor(private readonly source: ParameterSource) {}

	/**
	 * Reads a parameter. A text without characters counts as left out, like a field that the user has not filled in.
	 * @throws NodeOperationError that names the parameter, or the field in it that the editor shows
	 */
	read<S extends z.ZodTypeAny>(name: string, schema: S): z.output<S> {
		return this.parse(name, schema, withoutEmptyTexts(this.valueAt(name)));
	}

	/**
	 * Checks a value that was read from a parameter.
	 * @throws as {@link read}
	 */
	parse<S extends z.ZodTypeAny>(name: string, schema: S, value: unknown): z.output<S> {
		const parsed: z.SafeParseReturnType<unknown, z.output<S>> = schema.safeParse(value);
		if (parsed.success) return parsed.data;
		const [issue] = parsed.error.issues;
		// The error names the innermost field that the editor shows: 'Max Events' rather than 'Batch'.
		const field = issue?.path.findLast((part) => this.isShown(part));
		throw this.parameterError(field ?? name, issue?.message ?? 'It has the wrong type');
	}

	/**
	 * The value of a parameter: as it is stored, but with what each of its expressions returns.
	 * @param path where n8n finds it, such as `filters` or `queryParameters.parameters`
	 * @throws NodeOperationError for an expression that returns nothing, also within it or among other text: the user meant
	 *   something by it, and without its value the parameter would select more, such as the events of all campaigns (D66)
	 */
	valueAt(path: string): unknown {
		return this.evaluated(this.source.stored(path), path, path.split('.').at(-1) ?? path);
	}

	/**
	 * The JSON text in a parameter, empty if there is none. Its fields are data: an empty text, a list of nothing, or null among
	 * them is kept.
	 * @throws NodeOperationError for an expression that returns nothing, or a number that is infinite or none
	 */
	jsonAt(path: string): string {
		const stored = this.source.stored(path);
		const isNoJson = (value: unknown): boolean => !Array.isArray(value) && isNothing(value);
		const entered = isExpression(stored)
			? this.evaluatedExpression(stored, path, path, isNoJson)
			: this.source.evaluate(path);
		if (typeof entered === 'string') return entered;
		if (entered === undefined || entered === null) return '';
		return JSON.stringify(entered, (_, value: unknown) => {
			// It would be null.
			const isLost = typeof value === 'number' && !Number.isFinite(value);
			if (isLost) throw this.parameterError(path, 'It has a number that JSON cannot hold');
			return value;
		});
	}

	/** The error for a parameter, or a field in it, that cannot be used. @param reason see {@link ParameterSource} */
	parameterError(name: string, reason: string): NodeOperationError {
		return this.source.parameterError(labelOf(name, this.source.properties) ?? name, reason);
	}

	private isShown(name: unknown): name is string {
		return typeof name === 'string' && labelOf(name, this.source.properties) !== undefined;
	}

	/**
	 * A stored value, with what the expressions in it return.
	 * @param name the innermost parameter around the value that the editor shows, for errors
	 */
	private evaluated(stored: unknown, path: string, name: string): unknown {
		if (isExpression(stored)) {
			const result = this.evaluatedExpression(stored, path, name);
			const problem = problemWithResult(stored, result);
			if (problem === undefined) return result;
			throw this.parameterError(name, problem);
		}
		if (Array.isArray(stored)) {
			return stored.map((element, index) => this.evaluated(element, `${path}[${index}]`, name));
		}
		if (!isJsonObject(stored)) return stored;
		const fields = Object.entries(stored).flatMap(([key, value]): Array<[string, unknown]> => {
			if (this.source.isKeptAsStored?.(stored, key)) return [[key, value]];
			if (value === null) return [];
			return [[key, this.evaluated(value, `${path}.${key}`, this.isShown(key) ? key : name)]];
		});
		return Object.fromEntries(fields);
	}

	/**
	 * What the expression at a path returns.
	 * @param name as in {@link evaluated}
	 * @param isMissing whether a result is none
	 */
	private evaluatedExpression(
		expression: string,
		path: string,
		name: string,
		isMissing = isNothing,
	): unknown {
		const problem = this.source.problemWithExpression?.(expression);
		if (problem !== undefined) throw this.parameterError(name, problem);
		const result = writtenOut(this.source.evaluate(path));
		if (!isMissing(result)) return result;
		if (this.source.mayReturnNothing?.(expression) === true) return undefined;
		throw this.parameterError(name, 'Its expression returns nothing');
	}
}
