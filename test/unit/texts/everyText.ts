/** The texts in the sources of what ships: those that users see, and those of errors and warnings. */
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

const property = (node: ts.ObjectLiteralExpression, name: string): ts.Node | undefined =>
	node.properties.filter(ts.isPropertyAssignment).find((one) => one.name.getText() === name)
		?.initializer;

/** What makes an error whose message is the second argument. */
const MAKERS_OF_ERRORS = ['NodeOperationError', 'itemError'];

/** What writes a warning, as the end of an expression, and the place of the text among the arguments. */
const WRITERS_OF_WARNINGS: ReadonlyArray<[name: string, position: number]> = [
	['logger.warn', 0],
	['runtime.warnOnce', 2],
];

const isCall = (node: ts.Node): node is ts.CallExpression | ts.NewExpression =>
	ts.isCallExpression(node) || ts.isNewExpression(node);

const calls = nodes.filter(isCall).map((call) => ({ call, name: `.${call.expression.getText()}` }));

/** The texts that calls of a function have at one place of their arguments. */
function argumentsOf(name: string, position: number): string[] {
	const found = calls
		.filter((one) => one.name.endsWith(`.${name}`))
		.map(({ call }) => call.arguments?.[position])
		.map((argument) => argument && textOf(argument))
		.filter((text) => text !== undefined);
	// After a rename, no text would be found, and no test would notice.
	if (found.length === 0) throw new Error(`No text is passed to ${name} any more: what is it now?`);
	return found;
}

/** The message in an object `{ message, description }`. */
function messageOf(node: ts.Node): string | undefined {
	if (!ts.isObjectLiteralExpression(node)) return undefined;
	const message = property(node, 'message');
	return message && property(node, 'description') ? textOf(message) : undefined;
}

/** Every message of an error of the nodes or of the credential test, each once. */
export const EVERY_MESSAGE: ReadonlySet<string> = new Set([
	...collect(messageOf),
	...MAKERS_OF_ERRORS.flatMap((name) => argumentsOf(name, 1)),
]);

/** Every warning that the nodes log, up to its reason: its first colon or full stop. */
export const EVERY_WARNING: ReadonlySet<string> = new Set(
	WRITERS_OF_WARNINGS.flatMap(([name, position]) => argumentsOf(name, position)).map(
		(text) => text.split(/: |\. /)[0] ?? text,
	),
);

/** Every text in the sources of what ships, with … for each placeholder. */
export const EVERY_TEXT: readonly string[] = collect(textOf);
