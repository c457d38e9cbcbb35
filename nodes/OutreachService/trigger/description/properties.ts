/** The parameters of the trigger, as the editor shows them. */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { EVENT_OPTIONS_WITH_ALL } from '../../domain/eventTypes';
import { notice } from '../../parameters/notice';
import { options } from './options';

const triggerOn: INodeProperties = {
	// n8n makes its list of triggers ('On Email: Reply Received') from a parameter with this label.
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	default: [],
	options: EVENT_OPTIONS_WITH_ALL,
	description:
		"The events that start the workflow. Type to search. A lead state covers several channels: 'Lead State: Warmed' is a reply on any of them.",
	builderHint: {
		propertyHint:
			"A list of event types, never of labels: ['emailsReplied', 'networkInviteAccepted']; ['*'] alone for every event; beside other events, with options.outputs 'perEvent', '*' adds a last output for every event that has no output of its own. For the same thing on every channel use one lead state: 'warmed' (replied), 'hooked' (opened), 'attracted' (clicked or accepted an invite), 'interested', 'notInterested'.",
	},
};

const WITH_CUSTOM_TYPES: NonNullable<IDisplayOptions['hide']> = {
	'/options.customEventTypes': [{ _cnd: { exists: true } }],
};

/** The parameters of the trigger, in the order of the editor. */
export const triggerProperties: INodeProperties[] = [
	// The events are required, unless a custom type is set: so n8n says at once what is missing, and not after five attempts.
	{ ...triggerOn, required: true, displayOptions: { hide: WITH_CUSTOM_TYPES } },
	{ ...triggerOn, displayOptions: { show: WITH_CUSTOM_TYPES } },
	notice(
		'allEventsNotice',
		"With 'All Events', every email, open and visit of the team starts an execution. Select only some events, or limit them with the option 'Only When'.",
		{ show: { events: ['*'] } },
	),
	notice(
		'needlessEventsNotice',
		"'All Events' includes the other events that you selected. To get an output for each of them, and one for everything else, add the option 'Separate Outputs'.",
		{
			show: { events: ['*'] },
			// The notice is hidden if 'All Events' is the only event, or if each event has an output.
			hide: { events: [{ _cnd: { eq: '*' } }], '/options.outputs': ['perEvent'] },
		},
	),
	// n8n shows neither the description of a filter nor a notice between options, so this one stands above them, where it
	// stays in sight however many options follow.
	notice(
		'onlyWhenNotice',
		"On the left of 'Only When', enter the name of a field, such as campaignName or subject. For numbers and dates, enter an expression: {{ $json.sequenceStep }}.",
		{ show: { '/options.onlyWhen': [{ _cnd: { exists: true } }] } },
	),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	},
	notice(
		'verifySecretNotice',
		'Without the secret, anybody who knows the webhook URL of this workflow can start it with forged events',
		{ show: { '/options.verifySecret': [false] } },
	),
];
