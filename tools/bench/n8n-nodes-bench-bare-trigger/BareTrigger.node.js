'use strict';

/**
 * A minimal webhook trigger, which returns the body it receives. It shows how many deliveries n8n itself can process.
 * Like the trigger it is compared with, its version is not 1 and it responds immediately.
 */
class BareTrigger {
	description = {
		displayName: 'Bare Trigger',
		name: 'bareTrigger',
		group: ['trigger'],
		version: 1.1,
		description: 'Returns the body it receives',
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
