/** Web pages, which come from something in between, or from another host, instead of the service. */

/** Whether a body is a web page instead of a response of the API (D6). */
export const looksLikePage = (text: string): boolean =>
	/^\s*<(!doctype|!--|html|head|body|\?xml)/i.test(text.slice(0, 10_000));
