'use strict';

/**
 * The least that a webhook trigger can be: it passes on what it gets. It shows how many deliveries n8n can take from a
 * node that does nothing. Like the trigger that it is compared with, its version is not 1 and it answers at once.
 */
class BareTrigger {
	description = {
		displayName: 'Bare Trigger',
		name: 'bareTrigger',
		group: ['trigger'],
		version: 1.1,
		description: 'Passes on what it gets',
		defaults: { name: 'Bare Trigger' },
		inputs: [],
		outputs: ['main'],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: 'noData',
				path: 'webhook',
			},
		],
		properties: [],
	};

	async webhook() {
		return { workflowData: [[{ json: this.getBodyData() }]] };
	}
}

module.exports = { BareTrigger };
