/** The operation *Delete Many* of webhooks. */
import { consequencesOf, settleRequest } from '../../api/errors';
import { notice } from '../../parameters/notice';
import type { Webhook } from '../../domain/webhook';
import { mapConcurrently } from '../../utils/concurrency';
import { booleanParameter } from '../../parameters/values';
import { itemError, type Item, type Operation } from '../operation';
import { filtersField, readFilters, selectWebhooks } from './filters';
import { usersOf, webhookItem } from './webhookItem';

/**
 * Deletes webhooks, several at a time. Once one cannot be deleted, no further deletion is begun.
 * @throws RequestError of the webhook that comes first among those that could not be deleted
 */
async function deleteAll({ client, changes }: Item, webhooks: readonly Webhook[]): Promise<void> {
	await mapConcurrently(webhooks, async ({ _id }) => {
		const deleted = await settleRequest(client.deleteWebhook(_id, { wasListed: true }));
		if (deleted.ok) {
			changes.done.push(_id);
			return;
		}
		// Several may fail, and only one error is thrown: what follows from each of them must be told.
		changes.consequences.push(...consequencesOf(deleted.error));
		throw deleted.error;
	});
}

/** Deletes all webhooks that pass the filters (§4.3), or only lists them in a dry run. */
export const deleteMany: Operation = {
	value: 'deleteMany',
	name: 'Delete Many',
	action: 'Delete many webhooks',
	description:
		'Delete all webhooks that match filters. The dry run, on by default, only lists them.',
	builderHint: {
		propertyHint:
			"Deletes nothing unless 'dryRun' is set to false, and refuses to run without a filter. To delete: run it with the dry run first, have a person check the items, then run it with dryRun: false.",
	},
	properties: [
		notice(
			'deleteManyNotice',
			'You cannot restore deleted webhooks. Whatever receives their events, such as another workflow, gets no more. Check the dry run first.',
		),
		{
			...filtersField,
			description: 'Which webhooks to delete; at least one filter must be set',
		},
		{
			displayName: 'Dry Run',
			name: 'dryRun',
			type: 'boolean',
			default: true,
			description: 'Whether to only show which webhooks would be deleted, and delete none',
			builderHint: {
				propertyHint:
					'True by default: the items have deleted: false and dryRun: true, and nothing is deleted. Set it to false only when the user asks for the deletion itself.',
			},
		},
	],
	async run(item) {
		const filters = readFilters(item);
		const dryRun = item.parameters.read('dryRun', booleanParameter.default(true));
		if (!Object.values(filters).some(Boolean)) {
			throw itemError(
				item,
				'No filter is set',
				"Set at least one in 'Filters', for example 'Target URL Contains': without any, all webhooks of the team would be deleted.",
			);
		}
		const webhooks = await selectWebhooks(item, filters);
		if (!dryRun) {
			await deleteAll(item, webhooks);
			return webhooks.map((webhook) => webhookItem({ deleted: true }, webhook));
		}
		const userOf = usersOf(item);
		const items = webhooks.map((webhook) =>
			webhookItem({ deleted: false, dryRun, ...userOf(webhook) }, webhook),
		);
		if (items.length > 0) item.hints.add(DRY_RUN);
		if (items.some(({ usedBy }) => usedBy !== undefined)) item.hints.add(IN_USE);
		return items;
	},
};

const DRY_RUN =
	"Dry run: nothing has been deleted. To delete these webhooks, turn off 'Dry Run' and execute the node again.";

const IN_USE = "Some of these webhooks are in use on this n8n: see 'usedBy'.";
