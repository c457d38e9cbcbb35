import type { INode } from 'n8n-workflow';

/** The action node that an error belongs to. */
export const NODE: INode = {
	id: '1',
	name: 'Outreach Service',
	type: 'outreachService',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
