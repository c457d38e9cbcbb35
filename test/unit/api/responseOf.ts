import type { HttpResponse } from '../../../nodes/OutreachService/api/http';

/** A response with a body that was read whole. */
export const responseOf = (
	status: number,
	text = '',
	headers: Record<string, unknown> = {},
): HttpResponse => ({ status, text, isTruncated: false, isText: true, headers });
