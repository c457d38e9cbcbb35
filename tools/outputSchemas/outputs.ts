/** What the items of each operation and of the trigger look like. */
import { webhookSettingsSchema } from '../../nodes/OutreachService/model/schemas';
import { activityFieldsSchema } from '../../nodes/OutreachService/trigger/delivery/output';
import { fieldsOf, list, object, type OutputSchema } from './fromZod';

type Fields = Record<string, OutputSchema>;

const text: OutputSchema = { type: 'string' };
const number: OutputSchema = { type: 'number' };
const yesOrNo: OutputSchema = { type: 'boolean' };

/** A webhook as the service lists it (§2.1), without what the API spec does not have. */
function webhookFields(): Fields {
	const { targetUrl, type, ...others } = fieldsOf(webhookSettingsSchema);
	delete others.disabled;
	return { _id: text, ...(targetUrl && { targetUrl }), ...(type && { type }), ...others };
}

const webhook = webhookFields();
const field: Fields = { path: text, type: text, isArray: yesOrNo };
const activity = fieldsOf(activityFieldsSchema);

/**
 * The fields of an item, by resource and operation. An operation whose items depend on a parameter has none: n8n finds
 * the preview by resource and operation alone, and would offer fields that are not there.
 */
export const OUTPUTS: Readonly<Record<string, Readonly<Record<string, Fields | undefined>>>> = {
	webhook: {
		create: webhook,
		delete: { deleted: yesOrNo, ...webhook },
		deleteMany: { deleted: yesOrNo, dryRun: yesOrNo, ...webhook },
		get: webhook,
		getAll: webhook,
		rotateSecret: { secret: text, replacedWebhookId: text, ...webhook },
		check: { target: text, targetDetail: text, ...webhook },
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
};

/** The fields of the trigger's items: the activity as it was delivered (§2.3), which is the default. */
export const TRIGGER_OUTPUT: Fields = activity;
