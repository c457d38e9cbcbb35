import type { N8nName } from './install';

export interface N8nEnvironmentOptions {
	userFolder: string;
	port: number;
	/** Port of the task runner broker, which n8n processes on one machine can't share. */
	brokerPort: number;
	encryptionKey: string;
	/** The base URL of webhooks. Default: this n8n's own URL. */
	webhookUrl?: string;
}

/** The settings of an isolated n8n: loopback only, without telemetry and prompts to the user. */
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
		// Browsers don't send secure cookies over HTTP.
		N8N_SECURE_COOKIE: 'false',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_LOG_LEVEL: 'info',
		// n8n 1 compiles isolated-vm in an install script, and scripts are disabled.
		...(name === 'n8n-1' && { N8N_EXPRESSION_ENGINE: 'legacy' }),
	};
}
