/** What the items of each operation and of the trigger look like. */
import { z } from 'zod';

import { webhookSettingsSchema } from '../../nodes/OutreachService/domain/webhook';
import { activitySchema } from '../../nodes/OutreachService/domain/activity';

/** A definition in JSON Schema, as far as n8n's previews read it. */
export interface OutputSchema {
	type: 'object' | 'array' | 'string' | 'number' | 'boolean';
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

export const object = (properties: Record<string, OutputSchema>): OutputSchema => ({
	type: 'object',
	properties,
});

const list = (items: OutputSchema): OutputSchema => ({ type: 'array', items });

/** The fields of an object that is parsed with zod. */
function fieldsOf({ shape }: { shape: object }): Record<string, OutputSchema> {
	const types: Array<[string, unknown]> = Object.entries(shape);
	return Object.fromEntries(types.map(([name, type]) => [name, fromZod(inner(type))]));
}

/**
 * What a value is when it is there: a preview shows neither null nor missing fields.
 * @throws if no field of ours has such a type
 */
function fromZod(type: z.ZodType): OutputSchema {
	if (type instanceof z.ZodString) return { type: 'string' };
	if (type instanceof z.ZodNumber) return { type: 'number' };
	if (type instanceof z.ZodBoolean) return { type: 'boolean' };
	if (type instanceof z.ZodObject) return object(fieldsOf(type));
	if (type instanceof z.ZodArray) return list(fromZod(inner(type.element)));
	if (type instanceof z.ZodCatch) return fromZod(inner(type.removeCatch()));
	if (type instanceof z.ZodOptional || type instanceof z.ZodNullable) {
		return fromZod(inner(type.unwrap()));
	}
	if (type instanceof z.ZodEffects) return fromZod(inner(type.innerType()));
	throw new Error(`No preview can show a ${type.constructor.name}`);
}

const inner = (type: unknown): z.ZodType => z.instanceof(z.ZodType).parse(type);

type Fields = Record<string, OutputSchema>;

const text: OutputSchema = { type: 'string' };
const number: OutputSchema = { type: 'number' };
const yesOrNo: OutputSchema = { type: 'boolean' };

/** A webhook as the service lists it (§2.1), without what the API does not have. */
function webhookFields(): Fields {
	const { targetUrl, type, ...others } = fieldsOf(webhookSettingsSchema);
	delete others.disabled;
	return { _id: text, ...(targetUrl && { targetUrl }), ...(type && { type }), ...others };
}

const webhook = webhookFields();
const field: Fields = { path: text, type: text, isArray: yesOrNo };
const activity = fieldsOf(activitySchema);

/**
 * The fields of an item, by resource and operation. An operation whose items depend on a parameter has none: n8n finds
 * the preview by resource and operation alone, and would offer fields that are not there.
 */
export const OUTPUTS: Readonly<Record<string, Readonly<Record<string, Fields | undefined>>>> = {
	webhook: {
		create: webhook,
		delete: { deleted: yesOrNo, ...webhook },
		deleteMany: { deleted: yesOrNo, dryRun: yesOrNo, usedBy: text, ...webhook },
		get: webhook,
		getAll: webhook,
		rotateSecret: { secret: text, replacedWebhookId: text, ...webhook },
		check: { target: text, targetDetail: text, usedBy: text, ...webhook },
		sendTest: { status: number, milliseconds: number, activity: object(activity) },
	},
	peopleSchema: {
		get: undefined,
		compare: {
			changed: yesOrNo,
			added: list(object(field)),
			removed: list(object(field)),
			retyped: list(object({ path: text, from: text, to: text })),
		},
	},
	api: { request: undefined },
};

/** The fields of the trigger's items: the activity as it was delivered (§2.3), which is the default. */
export const TRIGGER_OUTPUT: Fields = activity;
