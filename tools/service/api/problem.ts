/** A refusal with the status and the plain text that the client gets (§7). */
export class Problem extends Error {
	constructor(
		readonly statusCode: number,
		message: string,
	) {
		super(message);
		this.name = 'Problem';
	}
}

/** The two texts of §7. */
export const BAD_TEAM = 'Bad team';
export const WEBHOOK_NOT_FOUND = 'Webhook not found';
