import * as ts from 'typescript';

import { read, sourcesIn } from './everyDocument';

const files = sourcesIn('nodes', 'credentials');

/** A text in the source as users see it, with … for each placeholder; undefined for any other node. */
function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return undefined;
	const parts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
	return parts.join('…').replace(/…+/g, '…');
}

/** The results of visiting every node of a file. */
function collect<T>(file: string, visit: (node: ts.Node) => T | undefined): T[] {
	const found: T[] = [];
	const walk = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node)) return;
		const one = visit(node);
		if (one !== undefined) found.push(one);
		ts.forEachChild(node, walk);
	};
	walk(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
	return found;
}

const property = (node: ts.ObjectLiteralExpression, name: string): ts.Node | undefined =>
	node.properties.filter(ts.isPropertyAssignment).find((one) => one.name.getText() === name)
		?.initializer;

/** The message in an object `{ message, description }`, or in the arguments of a NodeOperationError or an itemError. */
function messageOf(node: ts.Node): string | undefined {
	if (ts.isObjectLiteralExpression(node)) {
		const message = property(node, 'message');
		return message && property(node, 'description') ? textOf(message) : undefined;
	}
	if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return undefined;
	const isError = /^(NodeOperationError|itemError)$/.test(node.expression.getText());
	const message = isError ? node.arguments?.[1] : undefined;
	return message && textOf(message);
}

/** The first argument of `….logger.warn(…)`, up to its first colon or full stop. */
function warningOf(node: ts.Node): string | undefined {
	if (!ts.isCallExpression(node) || !/\blogger\.warn$/.test(node.expression.getText()))
		return undefined;
	const [text] = node.arguments;
	return text && textOf(text)?.split(/: |\. /)[0];
}

/** Every message of an error of the nodes or of the credential test, each once. */
export const EVERY_MESSAGE: ReadonlySet<string> = new Set(
	files.flatMap((file) => collect(file, messageOf)),
);

/** Every warning that the nodes log, up to its reason. */
export const EVERY_WARNING: ReadonlySet<string> = new Set(
	files.flatMap((file) => collect(file, warningOf)),
);

/** Every text in the sources of what ships, with … for each placeholder. */
export const EVERY_TEXT: readonly string[] = files.flatMap((file) => collect(file, textOf));
