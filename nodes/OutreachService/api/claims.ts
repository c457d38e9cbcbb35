/** Longer than any create takes, in ms: after that, a webhook is too old to be taken for what a create made. */
const CLAIM_MS = 10 * 60_000;
/** More creates than the limit of the service allows in that time, so none is forgotten early (§8.1). */
const MAX_CLAIMS = 6_000;

/** Webhooks that a create of this process returned, and until when that is remembered; the oldest first. */
const claims = new Map<string, number>();

/** Remembers that a create returned this webhook: no other create can have made it. */
export function claim(webhookId: string): void {
	const now = performance.now();
	claims.delete(webhookId);
	claims.set(webhookId, now + CLAIM_MS);
	for (const [id, until] of claims) {
		if (until > now && claims.size <= MAX_CLAIMS) return;
		claims.delete(id);
	}
}

/** Whether a create of this process returned this webhook lately. */
export const isClaimed = (webhookId: string): boolean =>
	(claims.get(webhookId) ?? 0) > performance.now();
