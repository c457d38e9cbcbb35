/** The item that a trigger without options makes of an activity. */
import type { IDataObject } from 'n8n-workflow';

import { activitySchema } from '../nodes/OutreachService/domain/activity';
import { selectionSchema } from '../nodes/OutreachService/parameters/selection';
import { chosenActivity } from '../nodes/OutreachService/trigger/delivery/chosenActivity';
import { itemOf } from '../nodes/OutreachService/trigger/delivery/item';
import { jsonObjectSchema } from '../nodes/OutreachService/utils/json';

const withoutOptions = selectionSchema.parse({ events: ['*'] });

/** The JSON of that item. @param activity without its secret */
export function defaultItem(activity: object): IDataObject {
	const json = jsonObjectSchema.parse({ ...activity });
	const chosen = chosenActivity('*', activitySchema.parse(json), json);
	return itemOf(chosen, withoutOptions, 'off').json;
}
