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

/** As a service may write it that stores URLs in one form. */
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

/** The same three fields as text. An empty one counts as not given. */
const querySchema = z
	.object({
		campaignId: z.string(),
		isFirst: z
			.enum(['true', 'false', '1', '0'])
			.transform((text) => text === 'true' || text === '1'),
		toolLinkId: z.coerce.number().pipe(toolLinkId),
	})
	.partial();

const withoutEmpty = (query: Readonly<Record<string, unknown>>) =>
	Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));

/**
 * Reads a create request (§4.2). Where the three parameters are read is not shown: a switch decides.
 * @throws Problem when something is missing, malformed, not listed in §6.1, or removed (§6.2).
 */
export function readCreateRequest(
	body: unknown,
	query: Readonly<Record<string, unknown>>,
	switches: Pick<Switches, 'createParameters' | 'invalidStatus' | 'targetUrlForm' | 'unknownTypes'>,
): HookFields {
	const refuse = (why: string) => new Problem(switches.invalidStatus, why);
	const parsedBody = bodySchema.safeParse(body);
	if (!parsedBody.success) throw refuse(explain(parsedBody.error));
	const parsedQuery = querySchema.safeParse(
		switches.createParameters === 'body' ? {} : withoutEmpty(query),
	);
	if (!parsedQuery.success) throw refuse(explain(parsedQuery.error));

	const { targetUrl, type, secret, ...parameters } = parsedBody.data;
	checkType(type, switches.unknownTypes, refuse);
	const fromBody = switches.createParameters === 'query' ? {} : parameters;
	const url = switches.targetUrlForm === 'normalized' ? normalized(targetUrl) : targetUrl;
	return { targetUrl: url, type, secret, ...parsedQuery.data, ...fromBody };
}

function checkType(
	type: string | undefined,
	unknownTypes: Switches['unknownTypes'],
	refuse: (why: string) => Problem,
): void {
	if (type === undefined || isEventType(type)) return;
	if (isRemovedEventType(type)) {
		const replacement = REMOVED_EVENT_TYPES[type];
		throw refuse(
			`Event type ${type} was removed${replacement ? `: use ${replacement}` : ' without a replacement'}`,
		);
	}
	if (unknownTypes === 'refuse') throw refuse(`Unknown event type ${type.slice(0, 100)}`);
}

const explain = (error: z.ZodError): string =>
	error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; ');
