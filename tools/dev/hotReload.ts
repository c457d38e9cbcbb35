import { utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { logFromNow, PACKAGE_NAME, waitFor, type N8nServer } from '../host';

/** Makes n8n reload a node package when one of its files changes: a setting for developers of n8n. */
export const HOT_RELOAD = { N8N_DEV_RELOAD: 'true' };

const BEGUN = `Hot reload triggered for ${PACKAGE_NAME}`;
const FAILED = `Hot reload failed for ${PACKAGE_NAME}`;

/** Milliseconds between two changes of the file: n8n handles those within a tenth of a second as one. */
const ATTEMPT_MS = 1_000;

/** Milliseconds in which n8n notices a change; usually a fraction of a second. */
const NOTICE_MS = 10_000;

/** Milliseconds in which n8n loads the package, or logs that it failed. It logs nothing when it is done. */
const LOAD_MS = 500;

/**
 * Waits until n8n watches the package. That is some time after n8n is ready, because it watches every folder of its own
 * nodes first. The change that shows this makes n8n reload the package; until that is done, which this waits for as
 * well, n8n does not know its credential types.
 *
 * @param file one of the package's
 * @throws when n8n does not notice a change, or cannot load the package
 */
export async function waitUntilWatched(server: N8nServer, file: string): Promise<void> {
	const log = await logFromNow({ server });
	await waitFor(
		'n8n to notice a change of the package',
		async () => {
			await utimes(file, new Date(), new Date());
			return log();
		},
		(text) => text.includes(BEGUN),
		{ timeoutMs: 60_000, everyMs: ATTEMPT_MS },
	);
	await waitForReload(log);
}

/**
 * Waits until n8n has reloaded the package.
 *
 * @param log what n8n has logged since the change
 * @throws when n8n does not notice the change, or cannot load the package
 */
export async function waitForReload(log: () => Promise<string>): Promise<void> {
	await waitFor('n8n to reload the package', log, (text) => text.includes(BEGUN), {
		timeoutMs: NOTICE_MS,
	});
	await pause(LOAD_MS);
	if ((await log()).includes(FAILED)) {
		throw new Error('n8n cannot load the package, and does not log why: does a module throw?');
	}
}
