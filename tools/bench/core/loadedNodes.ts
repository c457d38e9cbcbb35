import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { INodeType, INodeTypes, IVersionedNodeType } from 'n8n-workflow';
import { z } from 'zod';

/** Loads built code as n8n does: by path and class name. */
const load = createRequire(__filename);
const dist = resolve(__dirname, '../../../dist');

const isClass = (value: unknown): boolean => typeof value === 'function';
const nodeClass = z.custom<new () => INodeType>(isClass);
const versionedNodeClass = z.custom<new () => IVersionedNodeType>(isClass);

const exported = (path: string, name: string): unknown =>
	z.record(z.unknown()).parse(load(path))[name];

const nodes = join(dist, 'nodes/OutreachService');

export const ourAction = (): INodeType =>
	new (nodeClass.parse(exported(join(nodes, 'OutreachService.node.js'), 'OutreachService')))();

export const ourTrigger = (): INodeType =>
	new (nodeClass.parse(
		exported(join(nodes, 'OutreachServiceTrigger.node.js'), 'OutreachServiceTrigger'),
	))();

/** n8n's HTTP Request node, from an n8n installation. */
export function httpRequest(n8nFolder: string): INodeType {
	const path = 'node_modules/n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js';
	const HttpRequest = versionedNodeClass.parse(exported(join(n8nFolder, path), 'HttpRequest'));
	const versioned = new HttpRequest();
	const newest = Math.max(...Object.keys(versioned.nodeVersions).map(Number));
	const node = versioned.nodeVersions[newest];
	if (node === undefined) throw new Error('The HTTP Request node has no versions');
	return node;
}

/** A node registry with a single node. */
export function onlyNode(node: INodeType): INodeTypes {
	return {
		getByName: () => node,
		getByNameAndVersion: () => node,
		getKnownTypes: () => ({}),
	};
}
