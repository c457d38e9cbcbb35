/** An operation of the action node, an item that it works on, and how it reads the parameters of that item. */
import type {
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import type { Client } from '../api/client';
import type { Targets } from '../api/targets';
import type { Labels } from '../model/labels';
import { isJsonObject } from '../model/schemas';
import { fromText, isExpression, isNothing } from '../model/written';
import type { Runtime } from '../runtime/runtime';

/** One item that an operation works on, and what all items of an execution share. */
export type Item = {
	ctx: IExecuteFunctions;
	/** Stopping the execution cancels its requests. */
	client: Client;
	targets: Targets;
	runtime: Runtime;
	index: number;
	/** Of the operation's fields. */
	labels: Labels;
	changes: Changes;
};

/** What an item has changed at the service. It is told when the output is lost, with the failure of this or another item. */
export type Changes = {
	index: number;
	/** The IDs of webhooks that were created or deleted. */
	done: string[];
	/** The IDs of webhooks that have a new secret which only the output shows. */
	unseen: string[];
	/** What else a person must know, in sentences. */
	open: string[];
};

/** One operation of the action node. The lists of n8n and the dispatch are both made from these. */
export type Operation = {
	/** The value that workflows store: it can never change. */
	value: string;
	name: string;
	/** The phrase in n8n's list of actions. */
	action: string;
	description: string;
	/** What n8n's AI builder must know to use it. */
	builderHint?: INodePropertyOptions['builderHint'];
	/** Its fields, without display conditions. */
	properties: INodeProperties[];
	/** The output for one item. The node owns the loop, the pairing and continue-on-fail. */
	run(item: Item): Promise<IDataObject[]>;
	/** What the editor says above the output of a run, for those who have just clicked; undefined for nothing. */
	hint?(output: readonly IDataObject[]): string | undefined;
};

/** The error of an item: what happened, and what to do. */
export const itemError = (
	{ ctx, index }: Pick<Item, 'ctx' | 'index'>,
	message: string,
	description: string,
): NodeOperationError =>
	new NodeOperationError(ctx.getNode(), message, { itemIndex: index, description });

/**
 * The error for a parameter that cannot be used.
 * @param reason a sentence; it quotes no value that may be a secret
 */
export const parameterError = (item: Item, name: string, reason: string): NodeOperationError =>
	itemError(
		item,
		`The value of '${item.labels.get(name) ?? name}' cannot be used`,
		/[.?]$/.test(reason) ? reason : `${reason}.`,
	);

/** n8n accepts it in any case. */
const IS_FROM_AI = /\$fromai\s*\(/i;

/**
 * A value, or undefined for one that the editor or an AI model leaves empty.
 * @param raw as the parameter was written
 * @throws NodeOperationError for an expression that returns nothing: the user meant something by it, and a value that is
 *   not set does more than a wrong one, such as a filter that selects everything
 */
function valueOf(item: Item, name: string, given: unknown, raw: unknown): unknown {
	if (!isExpression(raw) || !isNothing(given))
		return given === '' ? undefined : (given ?? undefined);
	if (IS_FROM_AI.test(raw)) return undefined;
	throw parameterError(item, name, 'Its expression returned nothing');
}

/** The value of a parameter; of a collection, the values of its fields. */
function givenFor(item: Item, name: string): unknown {
	const { ctx, index } = item;
	const given: unknown = ctx.getNodeParameter(name, index, null);
	const raw: unknown = ctx.getNodeParameter(name, index, null, { rawExpressions: true });
	if (!isJsonObject(given) || !isJsonObject(raw)) return valueOf(item, name, given, raw);
	return Object.fromEntries(
		Object.entries(given).map(([key, value]) => [key, valueOf(item, key, value, raw[key])]),
	);
}

/** The entries of a fixedCollection that can be filled in several times: the values of their fields. */
export function readEntries(item: Item, collection: string, name: string): object[] {
	const { ctx, index } = item;
	const path = `${collection}.${name}`;
	const given: unknown = ctx.getNodeParameter(path, index, []);
	const raw: unknown = ctx.getNodeParameter(path, index, [], { rawExpressions: true });
	const written: unknown[] = Array.isArray(raw) ? raw : [];
	return (Array.isArray(given) ? given : []).filter(isJsonObject).map((entry, place) => {
		const rawEntry = written[place];
		const fields = isJsonObject(rawEntry) ? rawEntry : {};
		return Object.fromEntries(
			Object.entries(entry).map(([key, value]) => [key, valueOf(item, key, value, fields[key])]),
		);
	});
}

/**
 * Reads a parameter of an item. A field that is left out or left empty is undefined for the schema.
 * @param given the value, where the parameter holds more than that
 * @throws NodeOperationError that names the parameter, or the field in it, and the item
 */
export function readParameter<S extends z.ZodTypeAny>(
	item: Item,
	name: string,
	schema: S,
	given: unknown = givenFor(item, name),
): z.output<S> {
	const parsed: z.SafeParseReturnType<unknown, z.output<S>> = schema.safeParse(given);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const field = String(issue?.path[0] ?? name);
	const reason = issue?.message ?? 'It has the wrong type';
	throw parameterError(item, item.labels.has(field) ? field : name, reason);
}

const textOfAtMost = (longest: number) =>
	z
		.string({ required_error: 'It is empty', invalid_type_error: 'It must be text' })
		.max(longest, `It has more than ${longest} characters`);

/** A text without the spaces around it. */
export const text = (longest: number) => textOfAtMost(longest).trim().min(1, 'It is empty');

/** A secret is sent as it is: a space copied with it would make the receiver reject it. */
export const secretSchema = textOfAtMost(500).refine(
	(secret) => secret === secret.trim(),
	'It begins or ends with a space or a line break',
);

/** A whole number from `min`, also as text. */
export const wholeNumber = (min: number) =>
	z.preprocess(
		fromText((digits) => (/^-?\d+$/.test(digits) ? Number(digits) : undefined)),
		z
			.number({ message: 'It must be a number' })
			.int('It must be a whole number')
			.min(min, `It must be at least ${min}`)
			.max(Number.MAX_SAFE_INTEGER, 'It is too large'),
	);
