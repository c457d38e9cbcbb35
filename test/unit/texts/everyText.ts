/** The texts in the sources of what ships: those that users see. */
import * as ts from 'typescript';

import { read, sourcesIn } from './everyDocument';

/** Comments are no texts. Reading them takes a fifth of the time. */
const WITHOUT_COMMENTS = {
	languageVersion: ts.ScriptTarget.Latest,
	jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};

const files = sourcesIn('nodes', 'credentials').map((file) =>
	ts.createSourceFile(file, read(file), WITHOUT_COMMENTS, true),
);

/** A text in the source as users see it, with … for each placeholder; undefined for any other node. */
function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return undefined;
	const parts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
	return parts.join('…').replace(/…+/g, '…');
}

/** Every node of every file but imports and what is in them. */
const nodes: ts.Node[] = [];

function addNodes(node: ts.Node): void {
	if (ts.isImportDeclaration(node)) return;
	nodes.push(node);
	ts.forEachChild(node, addNodes);
}
files.forEach(addNodes);

/** The results of visiting every node. */
const collect = <T>(visit: (node: ts.Node) => T | undefined): T[] =>
	nodes.map(visit).filter((one) => one !== undefined);

/** Every text in the sources of what ships, with … for each placeholder. */
export const EVERY_TEXT: readonly string[] = collect(textOf);
