import { z } from 'zod';
import type { N8nNode, N8nWorkflowDraft } from '../../../tools/host';

/** A rectangle on n8n's canvas, in pixels. Its position is that of the top left corner. */
export type Box = { name: string; x: number; y: number; width: number; height: number };

const NOTE = 'n8n-nodes-base.stickyNote';

/** n8n 2 draws nodes in these sizes. */
const NODE = { width: 96, height: 96 };
const SUB_NODE = { width: 80, height: 80 };
/** A node with sub-nodes below it, which has its name inside. */
const ROOT_WIDTH = 256;
/** The name below a node: up to two lines, and a subtitle. A disabled node says that it is. */
const LABEL_HEIGHT = 64;
const DISABLED_LABEL_HEIGHT = 88;

const noteSchema = z.object({ content: z.string(), width: z.number(), height: z.number() });

export const isNote = ({ type }: N8nNode): boolean => type === NOTE;

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
export function boxesOf(workflow: N8nWorkflowDraft): Box[] {
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

// Measured in n8n's editor, rounded up: real text is a little narrower.
const CHARACTER_WIDTH = 7;
const LINE_HEIGHT = 20;
const HEADING_HEIGHT = 40;
const PARAGRAPH_GAP = 8;
const PADDING = { x: 32, y: 24 };

/** How many lines a text takes when words are not broken. */
function linesOf(text: string, perLine: number): number {
	let lines = 1;
	let used = 0;
	for (const word of text.split(/\s+/)) {
		if (used > 0 && used + 1 + word.length > perLine) {
			lines += 1;
			used = word.length;
		} else used += (used > 0 ? 1 : 0) + word.length;
	}
	return lines;
}

/** The height that the text of a note needs at its width. Marks such as ** are not shown. */
export function heightOfText({ parameters }: N8nNode): number {
	const { content, width } = noteSchema.parse(parameters);
	const perLine = Math.floor((width - PADDING.x) / CHARACTER_WIDTH);
	const heights = content.split(/\n+/).map((line) => {
		const isHeading = line.startsWith('#');
		const text = line.replace(/[*`]|^#+ /g, '').replace(/\]\([^)]*\)/g, ']');
		return isHeading ? HEADING_HEIGHT : linesOf(text, perLine) * LINE_HEIGHT + PARAGRAPH_GAP;
	});
	return heights.reduce((sum, height) => sum + height, PADDING.y);
}

/** The height that a note has. */
export const heightOfNote = ({ parameters }: N8nNode): number =>
	noteSchema.parse(parameters).height;
