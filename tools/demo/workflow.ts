import { randomUUID } from 'node:crypto';
import type { N8nCredential, N8nNode, N8nWorkflowDraft } from '../host';

export const TRIGGER_NAME = 'Outreach events';
/** The events that the trigger selects, and that the demo delivers. */
export const DEMO_EVENTS = ['emailsReplied', 'networkInviteAccepted', 'dialerEnded'] as const;

const NOTE = `## What happens here
**1.** When this workflow was published, the trigger registered a webhook for each of its ${DEMO_EVENTS.length} events with the (local) outreach service.

**2.** Each event that the service delivers starts one execution: see the *Executions* tab above.

**3.** Edit Fields keeps the most important fields. Replace it with your CRM or chat node.`;

/** The trigger, a node that picks a few fields, and a sticky note. */
export function demoWorkflow(credential: N8nCredential): N8nWorkflowDraft {
	return {
		name: 'Outreach events arrive',
		nodes: [note(), trigger(credential), editFields()],
		connections: {
			[TRIGGER_NAME]: { main: [[{ node: 'Edit Fields', type: 'main', index: 0 }]] },
		},
		settings: { executionOrder: 'v1' },
	};
}

function trigger({ id, name }: N8nCredential): N8nNode {
	return {
		id: randomUUID(),
		name: TRIGGER_NAME,
		type: 'n8n-nodes-outreach-service.outreachServiceTrigger',
		typeVersion: 1.1,
		position: [0, 0],
		parameters: { events: [...DEMO_EVENTS] },
		credentials: { outreachServiceApi: { id, name } },
		// The editor sets this for every node with a webhook; without it, the node has no URL.
		webhookId: randomUUID(),
	};
}

function editFields(): N8nNode {
	const fields = {
		event: '={{ $json.type }}',
		lead: '={{ $json.leadFirstName }} {{ $json.leadLastName }} <{{ $json.leadEmail }}>',
		campaign: '={{ $json.campaignName }}',
	};
	const assignments = Object.entries(fields).map(([name, value]) => ({
		id: randomUUID(),
		name,
		value,
		type: 'string',
	}));
	return {
		id: randomUUID(),
		name: 'Edit Fields',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		position: [288, 0],
		parameters: { assignments: { assignments }, options: {} },
	};
}

function note(): N8nNode {
	return {
		id: randomUUID(),
		name: 'Sticky Note',
		type: 'n8n-nodes-base.stickyNote',
		typeVersion: 1,
		position: [-112, -224],
		parameters: { content: NOTE, width: 640, height: 176, color: 4 },
	};
}
