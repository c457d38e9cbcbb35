/** An error with the status and text of its response (§7). */
export class Problem extends Error {
	constructor(
		readonly statusCode: number,
		message: string,
	) {
		super(message);
		this.name = 'Problem';
	}
}
