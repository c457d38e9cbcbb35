import { z } from 'zod';
import type { N8nNode, N8nWorkflowDraft } from '../../../tools/host';

/** A rectangle on n8n's canvas, in pixels. Its position is that of the top left corner. */
type Box = { name: string; x: number; y: number; width: number; height: number };

const NOTE = 'n8n-nodes-base.stickyNote';

/** n8n 2 draws nodes in these sizes. */
const NODE = { width: 96, height: 96 };
const SUB_NODE = { width: 80, height: 80 };
/** A node with sub-nodes below it, which has its name inside. */
const ROOT_WIDTH = 256;
/** The name below a node: up to two lines, and a subtitle. A disabled node says that it is. */
const LABEL_HEIGHT = 64;
const DISABLED_LABEL_HEIGHT = 88;

const noteSchema = z.object({ width: z.number(), height: z.number(), content: z.string() });

const isNote = ({ type }: N8nNode): boolean => type === NOTE;

/** The nodes that are connected as sub-nodes, and those that have sub-nodes. */
function subNodesOf({ connections }: N8nWorkflowDraft): { subs: Set<string>; roots: Set<string> } {
	const subs = new Set<string>();
	const roots = new Set<string>();
	for (const [from, byType] of Object.entries(connections)) {
		for (const [type, outputs] of Object.entries(byType)) {
			if (type === 'main') continue;
			subs.add(from);
			for (const link of outputs.flatMap((links) => links ?? [])) roots.add(link.node);
		}
	}
	return { subs, roots };
}

/** The space that each node and note takes, with the name below a node, which is twice as wide. */
function boxesOf(workflow: N8nWorkflowDraft): Box[] {
	const { subs, roots } = subNodesOf(workflow);
	return workflow.nodes.map((node) => {
		const { name } = node;
		const [x, y] = node.position;
		if (isNote(node)) {
			const { width, height } = noteSchema.parse(node.parameters);
			return { name, x, y, width, height };
		}
		const { width, height } = subs.has(name) ? SUB_NODE : NODE;
		if (roots.has(name)) return { name, x, y, width: ROOT_WIDTH, height };
		const label = node.disabled === true ? DISABLED_LABEL_HEIGHT : LABEL_HEIGHT;
		return { name, x: x - width / 2, y, width: 2 * width, height: height + label };
	});
}

const overlap = (one: Box, other: Box): boolean =>
	one.x < other.x + other.width &&
	other.x < one.x + one.width &&
	one.y < other.y + other.height &&
	other.y < one.y + one.height;

/** Pairs of nodes or notes that cover each other. */
export function overlapsOf(workflow: N8nWorkflowDraft): string[] {
	const boxes = boxesOf(workflow);
	return boxes.flatMap((one, index) =>
		boxes
			.slice(index + 1)
			.filter((other) => overlap(one, other))
			.map((other) => `${one.name} and ${other.name}`),
	);
}

/** How n8n 2 sets the text of a note, in pixels: at least as large as seen in Chromium. */
const TEXT = { padding: 24, heading: 40, character: 6.9, line: 20, gap: 12 };

/** The notes that are too small for their text. */
export const cutNotesOf = ({ nodes }: N8nWorkflowDraft): string[] =>
	nodes.filter(isNote).flatMap(({ name, parameters }) => {
		const { width, height, content } = noteSchema.parse(parameters);
		const [, ...paragraphs] = content.split(/\n+/);
		const perLine = (width - 2 * TEXT.padding) / TEXT.character;
		const heights = paragraphs.map(
			({ length }) => Math.ceil(length / perLine) * TEXT.line + TEXT.gap,
		);
		const needed = heights.reduce((sum, one) => sum + one, TEXT.padding + TEXT.heading);
		return needed > height ? [name] : [];
	});
