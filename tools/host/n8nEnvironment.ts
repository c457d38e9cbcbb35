import type { N8nName } from './install';

export interface N8nEnvironmentOptions {
	userFolder: string;
	port: number;
	/** Of the task runners' broker: two n8n on one machine cannot share one. */
	brokerPort: number;
	encryptionKey: string;
	/** Where services send webhooks to; this n8n itself unless told otherwise. */
	webhookUrl?: string;
}

/** The settings of an n8n that keeps to itself: loopback only, no telemetry, no questions to the user. */
export function n8nEnvironment(
	name: N8nName,
	{ userFolder, port, brokerPort, encryptionKey, webhookUrl }: N8nEnvironmentOptions,
): Record<string, string> {
	const url = `http://127.0.0.1:${port}/`;
	return {
		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: encryptionKey,
		N8N_PORT: String(port),
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_EDITOR_BASE_URL: url,
		WEBHOOK_URL: webhookUrl ?? url,
		// The browser would not send a secure cookie over http.
		N8N_SECURE_COOKIE: 'false',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_LOG_LEVEL: 'info',
		// The older line compiles isolated-vm itself, which its install without scripts leaves out.
		...(name === 'n8n-1' && { N8N_EXPRESSION_ENGINE: 'legacy' }),
	};
}
