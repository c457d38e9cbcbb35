/** Which activities n8n's database has recorded, for *Ignore Duplicates: In Database*. */
import { randomUUID } from 'crypto';
import { sleep } from 'n8n-workflow';

import { MAX_BATCH_EVENTS } from '../../parameters/selection';
import type { Mutex } from '../../utils/mutex';
import { settle } from '../../utils/settle';

/** The minimum number of activities of a node that n8n's database keeps; the oldest are forgotten first. */
const MIN_RECORDED = 5_000;
/**
 * The maximum number of values that n8n keeps for them: two for each, see {@link recordDeliveries}. The names of duplicates
 * are recorded, too, until they are removed: a full batch of them must not push out any of the activities.
 */
export const MAX_VALUES = 2 * MIN_RECORDED + MAX_BATCH_EVENTS;

/**
 * The waits before a failed call is sent again, in milliseconds. The first call of a node fails if another process creates the
 * row of the node at the same time.
 */
const RETRY_WAITS_MS = [50, 500];

/** The values that n8n's database keeps for one node. n8n reads all of them, then writes all. */
export type RecordedValues = {
	/** Records the values that are not recorded yet. @returns these */
	record(values: string[]): Promise<Iterable<string>>;
	remove(values: string[]): Promise<void>;
};

/** A name for one delivery of an activity. @param eventKey see `eventKeyOf`, which has no `@` */
export const newDeliveryName = (eventKey: string): string => `${eventKey}@${randomUUID()}`;

/** The event key in the name of a delivery. */
const eventKeyIn = (name: string): string => name.slice(0, name.indexOf('@'));

/**
 * Records the deliveries of an execution in n8n's database, so that each activity is passed on once (D34). The database keeps two
 * values for an activity: its key, and the name of the delivery that was passed on, by which a retried execution recognizes its own
 * delivery.
 *
 * In doubt, a delivery is passed on: two processes that record copies at the same moment both find the activity new, and what one
 * process records, the other may overwrite. In one process, a call for a node begins after the last one has ended.
 * @param nodeKey see `nodeKey`
 * @param names see {@link newDeliveryName}
 * @returns the names of those to pass on; for each of the others, another delivery of its activity has been passed on
 * @throws the error of the last attempt when n8n's database could not be used
 */
export async function recordDeliveries(
	mutex: Mutex,
	nodeKey: string,
	values: RecordedValues,
	names: readonly string[],
): Promise<ReadonlySet<string>> {
	return await mutex.run(`recorded ${nodeKey}`, async () => {
		const newValues = await recordWithRetries(values, names);
		// The delivery itself was recorded before: its execution is retried. Of several deliveries of a new activity, the first one
		// takes it.
		const isPassedOn = (name: string): boolean =>
			!newValues.has(name) || newValues.delete(eventKeyIn(name));
		const passedOn = new Set(names.filter(isPassedOn));
		const duplicates = names.filter((name) => !passedOn.has(name));
		// A retry would take its duplicate for a delivery of its own. If the removal fails, that one is passed on, too.
		if (duplicates.length > 0) await settle(values.remove(duplicates));
		return passedOn;
	});
}

/** Records deliveries and their activities. @returns the values that were not recorded before */
async function recordWithRetries(
	values: RecordedValues,
	names: readonly string[],
): Promise<Set<string>> {
	const record = async () =>
		new Set(await values.record(names.flatMap((name) => [eventKeyIn(name), name])));
	for (const waitMs of RETRY_WAITS_MS) {
		const result = await settle(record());
		if (result.ok) return result.value;
		await sleep(waitMs);
	}
	return await record();
}
