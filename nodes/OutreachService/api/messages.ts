/** What happened, and what to do. */
export type Words = { message: string; description: string };

type Answer = { status: number; text: string };

const BASE_URL_HINT =
	"Compare the 'Base URL' in the credential with the API address in the service's account settings: it ends in /api.";

/** The two texts that the interface gives for errors decide, whatever the status (§7, D5). */
export const isNotFound = (text: string): boolean =>
	/^\W*webhook not found\W*$/i.test(text.slice(0, 200));
export const isBadTeam = (text: string): boolean => /^\W*bad team\W*$/i.test(text.slice(0, 200));

/** A web page instead of the API (D6). */
export const looksLikePage = (text: string): boolean =>
	/^\s*<(!doctype|!--|html|head|body|\?xml)/i.test(text.slice(0, 10_000));

/** The service has a webhook with this address already (D7): a 409, or another refusal that says so. */
export const isTakenAddress = ({ status, text }: Answer): boolean =>
	status === 409 ||
	([400, 422].includes(status) &&
		/already (exists|in use|taken|registered)|duplicate|must be unique/i.test(text.slice(0, 200)));

/** The beginning of a short text answer; a long one or a page would only confuse. */
function quoted(text: string): string {
	// Longer than that it is not quoted in any case; trimming and folding the rest would be work for nothing.
	const line = text.slice(0, 1_000).trim().replace(/\s+/g, ' ');
	return line === '' || line.length > 200 || looksLikePage(line) ? '' : `: "${line}"`;
}

/** The first that fits an answer decides. */
const WORDS: ReadonlyArray<
	[fits: (answer: Answer) => boolean, say: (answer: Answer, host: string) => Words]
> = [
	[
		({ text }) => isBadTeam(text),
		() => ({
			message: 'The service does not know the team of this API key',
			description:
				'Its answer was "Bad team". Check in the account settings that the team still exists and that the key is from it, then put a current key into the credential.',
		}),
	],
	[
		({ text }) => isNotFound(text),
		() => ({
			message: 'The webhook was not found',
			description:
				"It may already be deleted, or belong to another team than the API key. List the webhooks with the operation 'Get Many' to see which there are.",
		}),
	],
	[
		({ status }) => status === 401 || status === 403,
		// Without the word 'Authorization': n8n gives up on reactivating a workflow whose error has it.
		({ status }) => ({
			message: 'The service did not accept the API key',
			description: `It answered with status ${status}. Copy the key again from the integrations page of the account settings into the credential. Nothing but the key belongs into that field.`,
		}),
	],
	[
		({ status }) => status === 429,
		() => ({
			message: 'The service kept refusing because of its rate limit',
			description:
				'It allows 20 requests in 2 seconds for each API key. The node kept to that and waited as it was told, again and again, so something else uses the same key all the time. Find it, or use a key of its own for n8n.',
		}),
	],
	[
		isTakenAddress,
		() => ({
			message: 'The service has a webhook with this address already',
			description:
				"It allows each address only once. Find the other one with the operation 'Get Many', and delete it or use another address.",
		}),
	],
	[
		({ status }) => status >= 300 && status < 400,
		(_, host) => ({
			message: `The address ${host} redirects to another one`,
			description: `The node does not follow, so that the API key reaches no other host. ${BASE_URL_HINT}`,
		}),
	],
	[
		({ status, text }) => status < 300 || (status < 500 && looksLikePage(text)),
		({ status, text }, host) => ({
			message: `The address ${host} does not look like the service's API`,
			description: `${looksLikePage(text) ? 'It answered with a web page' : 'Its answer is not what the API sends'} (status ${status}). ${BASE_URL_HINT}`,
		}),
	],
	[
		({ status }) => status === 404 || status === 405,
		({ status }, host) => ({
			message: `The address ${host} does not have what the API should have there`,
			description: `It answered with status ${status}. ${BASE_URL_HINT}`,
		}),
	],
	[
		({ status }) => status >= 500,
		({ status, text }) => ({
			message: `The service could not carry out the request (status ${status})`,
			description: `The cause is on its side. It answered with status ${status}${quoted(text)}. Try again later. In the settings of the action node, 'Retry On Fail' does that for you.`,
		}),
	],
];

/** An answer for a person who builds workflows. */
export function answerInWords(answer: Answer, host: string): Words {
	const say = WORDS.find(([fits]) => fits(answer))?.[1];
	if (say) return say(answer, host);
	// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the reason is in both.
	const said = quoted(answer.text);
	return {
		message: `The service refused the request with status ${answer.status}${said}`,
		description: `Check the values of the node: the service answered with status ${answer.status}${said}.`,
	};
}
