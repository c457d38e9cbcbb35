import { z } from 'zod';
import { isEventType, isRemovedEventType } from '../model/eventTypeLookups';
import { REMOVED_EVENT_TYPES } from '../model/eventTypes';
import type { HookFields } from '../model/hook';
import type { Switches } from '../switches';
import { Problem } from './problem';

const isHttpUrl = (text: string): boolean => {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	return url?.protocol === 'http:' || url?.protocol === 'https:';
};

/** Normalizes a URL the way a service might before it stores it. */
const normalized = (url: string): string => new URL(url).href.replaceAll('*', '%2A');

const toolLinkId = z.number().int().safe();

const bodySchema = z.object({
	targetUrl: z.string().refine(isHttpUrl, { message: 'must be an http or https URL' }),
	type: z.string().min(1).optional(),
	secret: z.string().optional(),
	campaignId: z.string().optional(),
	isFirst: z.boolean().optional(),
	toolLinkId: toolLinkId.optional(),
});

/** The three fields that can also be query parameters. An empty value counts as absent. */
const querySchema = z
	.object({
		campaignId: z.string(),
		isFirst: z
			.enum(['true', 'false', '1', '0'])
			.transform((text) => text === 'true' || text === '1'),
		toolLinkId: z.coerce.number().pipe(toolLinkId),
	})
	.partial();

const invalid = (reason: string) => new Problem(400, reason);

const withoutEmpty = (query: Readonly<Record<string, unknown>>) =>
	Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));

/**
 * Reads a create request (§4.2). The API spec doesn't say whether `campaignId`, `isFirst` and `toolLinkId` come from the
 * query or the body, so a switch decides.
 * @throws Problem if a field is missing or malformed, or the type is unknown (§6.1) or removed (§6.2).
 */
export function readCreateRequest(
	body: unknown,
	query: Readonly<Record<string, unknown>>,
	switches: Pick<Switches, 'createParameters' | 'targetUrlForm' | 'unknownTypes'>,
): HookFields {
	const parsedBody = bodySchema.safeParse(body);
	if (!parsedBody.success) throw invalid(explain(parsedBody.error));
	const parsedQuery = querySchema.safeParse(
		switches.createParameters === 'body' ? {} : withoutEmpty(query),
	);
	if (!parsedQuery.success) throw invalid(explain(parsedQuery.error));

	const { targetUrl, type, secret, ...parameters } = parsedBody.data;
	checkType(type, switches.unknownTypes);
	const fromBody = switches.createParameters === 'query' ? {} : parameters;
	const url = switches.targetUrlForm === 'normalized' ? normalized(targetUrl) : targetUrl;
	return { targetUrl: url, type, secret, ...parsedQuery.data, ...fromBody };
}

function checkType(type: string | undefined, unknownTypes: Switches['unknownTypes']): void {
	if (type === undefined || isEventType(type)) return;
	if (isRemovedEventType(type)) {
		const replacement = REMOVED_EVENT_TYPES[type];
		throw invalid(
			`Event type ${type} was removed${replacement ? `: use ${replacement}` : ' without a replacement'}`,
		);
	}
	if (unknownTypes === 'refuse') throw invalid(`Unknown event type ${type.slice(0, 100)}`);
}

const explain = (error: z.ZodError): string =>
	error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; ');
