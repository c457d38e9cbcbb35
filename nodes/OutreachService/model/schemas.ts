import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

/** What n8n can pass on in an item. */
type ItemValue = IDataObject[string];

/**
 * A webhook as the service lists it (§2.1), and as an item shows it. Only `_id` and `targetUrl` are relied on; what else comes,
 * known or not, is passed on untouched (§9).
 * `disabled` is not in the interface: services mark a hook so after failed deliveries.
 */
export const hookSchema = z
	.object({
		_id: z.string().min(1),
		targetUrl: z.string(),
		type: z.string().nullish(),
		campaignId: z.string().nullish(),
		createdAt: z.string().nullish(),
		toolLinkId: z.number().nullish(),
		isFirst: z.boolean().nullish(),
		disabled: z.boolean().nullish(),
	})
	.catchall(z.custom<ItemValue>());

export type Hook = z.infer<typeof hookSchema>;

/** The types of a hook's optional fields, for {@link isHook}. */
const OPTIONAL_FIELDS: ReadonlyArray<[name: keyof Hook, type: string]> = [
	['type', 'string'],
	['campaignId', 'string'],
	['createdAt', 'string'],
	['toolLinkId', 'number'],
	['isFirst', 'boolean'],
	['disabled', 'boolean'],
];

/**
 * Says of any JSON what {@link hookSchema} says of it (a test holds the two together), but makes no copy: of a list
 * with ten thousand webhooks zod's copies cost as much time and memory as all the rest of the work.
 */
export function isHook(value: unknown): value is Hook {
	if (!isJsonObject(value)) return false;
	if (typeof value._id !== 'string' || value._id === '' || typeof value.targetUrl !== 'string') {
		return false;
	}
	return OPTIONAL_FIELDS.every(([name, type]) => {
		const field = value[name];
		return field === undefined || field === null || typeof field === type;
	});
}

/** What `GET /hooks` answers (§4.1). */
export const hookListSchema = z.custom<Hook[]>(
	(list) => Array.isArray(list) && list.every(isHook),
	'no list of webhooks',
);

/** What the service's hook must be like, as it is sent with `POST /hooks` (§4.2). */
export type HookSettings = {
	targetUrl: string;
	/** Left out for all events. */
	type?: string | undefined;
	campaignId?: string | undefined;
	isFirst?: boolean | undefined;
	toolLinkId?: number | undefined;
	secret?: string | undefined;
};

const isJsonObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any JSON object; its fields are passed on as they are. */
export const jsonObjectSchema = z.custom<IDataObject>(isJsonObject, 'no JSON object');

/** What the node looks at in a delivery (§2.3). A field of a wrong type counts as absent. */
export const activitySchema = z.object({
	_id: z.string().min(1).optional().catch(undefined),
	type: z.string().optional().catch(undefined),
	campaignId: z.string().optional().catch(undefined),
	isThirdPartyReply: z.boolean().optional().catch(undefined),
	secret: z.unknown().optional(),
});

export type Activity = z.infer<typeof activitySchema>;

/**
 * What the credential holds. The address may end in a slash; it never does after this. A login in it would take
 * the place of the API key, and a query or fragment would swallow the path.
 */
export const credentialSchema = z.object({
	baseUrl: z
		.string()
		.trim()
		.transform((url) => url.replace(/\/+$/, ''))
		.refine(
			(url) => /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/i.test(url) && URL.canParse(url),
			'no http(s) address',
		),
	apiKey: z.string().trim().min(1, 'no API key'),
});

export type ServiceCredential = z.infer<typeof credentialSchema>;
