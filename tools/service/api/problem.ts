/** An error with the status and plain text of its response (§7). */
export class Problem extends Error {
	constructor(
		readonly statusCode: number,
		message: string,
	) {
		super(message);
		this.name = 'Problem';
	}
}

/** The two error texts that the API spec gives (§7). */
export const BAD_TEAM = 'Bad team';
export const WEBHOOK_NOT_FOUND = 'Webhook not found';
