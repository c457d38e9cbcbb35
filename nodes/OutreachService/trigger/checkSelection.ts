import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { meantBy, replacementOf } from '../model/eventCorrections';
import { ALL_EVENTS } from '../model/eventTypes';
import type { Selection } from '../model/selection';
import { parameterError } from './parameters';

/**
 * Refuses a selection that could never work, before anything is sent (§6.2, D12).
 * @throws NodeOperationError
 */
export function checkSelection(node: INode, selection: Selection): void {
	const { events } = selection;
	if (events.length === 0) {
		throw new NodeOperationError(node, 'No event is selected', {
			description:
				"Choose at least one event in 'Trigger On', or 'All Events', or name a type in the option 'Custom Event Types'.",
		});
	}
	checkFirstActivity(node, selection);
	for (const type of events) {
		if (/\p{Surrogate}/u.test(type)) {
			throw parameterError(
				node,
				'customEventTypes',
				'It contains an incomplete character, as when text is cut in the middle of an emoji. Enter the type again.',
			);
		}
		const meant = meantBy(type);
		if (meant !== undefined) {
			throw new NodeOperationError(
				node,
				`The service has no event type '${type}'. Did you mean '${meant}'?`,
				{
					description:
						"It comes from an expression in 'Trigger On' or from the option 'Custom Event Types': change it there.",
				},
			);
		}
		const replacement = replacementOf(type);
		if (replacement !== undefined) {
			throw new NodeOperationError(
				node,
				// n8n shows the message alone when an activation fails, so the replacement must be in it.
				`The service no longer has the event type '${type}'. ${replacement}`,
				{
					description:
						"It comes from an expression in 'Trigger On' or from the option 'Custom Event Types': change it there.",
				},
			);
		}
	}
}

/**
 * The service counts the first activity for each webhook: with one for everything, the first event of any type would
 * use up all others (D69).
 * @throws NodeOperationError
 */
function checkFirstActivity(node: INode, { events, isFirst, subscription }: Selection): void {
	if (!isFirst) return;
	if (events.includes(ALL_EVENTS)) {
		throw parameterError(
			node,
			'isFirst',
			"With 'All Events', the first event of any kind would use up all others. Choose the events in 'Trigger On', or turn this option off.",
		);
	}
	if (subscription === 'singleHook') {
		throw parameterError(
			node,
			'isFirst',
			"With one webhook for everything, the first event of any kind would use up all others. Set 'Subscription' to 'One Webhook for Each Event', or turn this option off.",
		);
	}
}
