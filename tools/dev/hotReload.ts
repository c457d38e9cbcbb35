import { utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { logFromNow, PACKAGE_NAME, waitFor, type N8nServer } from '../host';

/** Has n8n load a node package anew when a file of it changes. n8n means it for its own developers. */
export const HOT_RELOAD = { N8N_DEV_RELOAD: 'true' };

const BEGUN = `Hot reload triggered for ${PACKAGE_NAME}`;
const FAILED = `Hot reload failed for ${PACKAGE_NAME}`;

/** Milliseconds between two attempts to be noticed: n8n bundles what changes within a tenth of a second. */
const ATTEMPT_MS = 1_000;

/** Milliseconds in which n8n notices a change; usually a fraction of a second. */
const NOTICE_MS = 10_000;

/** Milliseconds in which n8n loads the package, or says that it could not. It doesn't say that it is done. */
const LOAD_MS = 500;

/**
 * Waits until n8n watches the package, which is some time after it says that it is ready: it watches every folder of
 * its own nodes first. Being noticed, it loads the package anew, and knows no credential type of it meanwhile: that is
 * waited for, too.
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
 * Waits until n8n has loaded the package anew.
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
		throw new Error('n8n cannot load the package, and keeps to itself why: does a module throw?');
	}
}
