import { createHash } from 'crypto';

/** What is kept of a webhook's secret (D14): its SHA-256, in hexadecimal. */
export function digestOf(secret: string): string {
	return createHash('sha256').update(secret).digest('hex');
}
