export * from './client';
export { databaseFile, queryDatabase } from './database';
export { lockDatabase } from './databaseLock';
export { installN8n, N8N_NAMES, type N8nInstallation, type N8nName } from './install';
export { logFromNow, logTail } from './logTail';
export { n8nEnvironment, type N8nEnvironmentOptions } from './n8nEnvironment';
export {
	startN8nProcess,
	type N8nCommand,
	type N8nProcess,
	type N8nProcessOptions,
} from './n8nProcess';
export { freePort } from './ports';
export { startN8n, type N8nServer, type StartN8nOptions } from './n8nServer';
export { startOutreachHost, type OutreachHost, type OutreachHostOptions } from './outreachHost';
export {
	buildPackage,
	installIntoUserFolder,
	PACKAGE_NAME,
	packageFolder,
	packPackage,
	repository,
	unpackTarball,
	type PackageTarball,
} from './packageTarball';
export { startReverseProxy, type ReverseProxy, type ReverseProxyOptions } from './reverseProxy';
export { canStartPostgres, startPostgres, type Postgres } from './postgres';
export { waitFor, WaitTimeoutError, type WaitOptions } from './waitFor';
