import { randomUUID } from 'node:crypto';
import type { N8nCredential, N8nNode, N8nWorkflowDraft } from '../host';
import { chain, node, triggerNode } from '../host/workflows';

export const TRIGGER_NAME = 'Outreach events';
/** The events that the trigger selects, and that the demo delivers. */
export const DEMO_EVENTS = ['emailsReplied', 'networkInviteAccepted', 'dialerEnded'] as const;

const NOTE = `## What happens here
**1.** When this workflow was published, the trigger registered a webhook for each of its ${DEMO_EVENTS.length} events with the (local) outreach service.

**2.** Each event that the service delivers starts one execution: see the *Executions* tab above.

**3.** Edit Fields keeps the most important fields. Replace it with your CRM or chat node.`;

/** The trigger, a node that picks a few fields, and a sticky note. */
export function demoWorkflow(credential: N8nCredential): N8nWorkflowDraft {
	const trigger = triggerNode(credential, { events: [...DEMO_EVENTS] }, TRIGGER_NAME);
	const draft = chain('Outreach events arrive', [trigger, editFields()]);
	return { ...draft, nodes: [note(), ...draft.nodes], settings: { executionOrder: 'v1' } };
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
	const parameters = { assignments: { assignments }, options: {} };
	return node('Edit Fields', 'n8n-nodes-base.set', 3.4, parameters);
}

function note(): N8nNode {
	const parameters = { content: NOTE, width: 640, height: 176, color: 4 };
	return node('Sticky Note', 'n8n-nodes-base.stickyNote', 1, parameters, {
		position: [-112, -224],
	});
}
