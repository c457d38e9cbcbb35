import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A secret encrypted with AES-256-GCM; each part is base64url. */
export interface SealedSecret {
	readonly iv: string;
	readonly tag: string;
	readonly sealed: string;
}

/** Encrypts secrets (§6.4.2) with a key that is generated at start and never leaves the process. */
export class SecretBox {
	private readonly key = randomBytes(32);

	seal(secret: string): SealedSecret {
		const iv = randomBytes(12);
		const cipher = createCipheriv('aes-256-gcm', this.key, iv);
		const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
		return {
			iv: iv.toString('base64url'),
			tag: cipher.getAuthTag().toString('base64url'),
			sealed: sealed.toString('base64url'),
		};
	}

	/** @throws if the parts were changed or sealed by another box. */
	open({ iv, tag, sealed }: SealedSecret): string {
		const decipher = createDecipheriv('aes-256-gcm', this.key, Buffer.from(iv, 'base64url'));
		decipher.setAuthTag(Buffer.from(tag, 'base64url'));
		return Buffer.concat([
			decipher.update(Buffer.from(sealed, 'base64url')),
			decipher.final(),
		]).toString('utf8');
	}
}
