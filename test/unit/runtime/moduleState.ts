import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import * as ts from 'typescript';

const repository = resolve(__dirname, '../../..');

/** All shipped sources, as absolute paths. */
const SHIPPED = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => join(repository, folder, file)),
);

const OPTIONS: ts.CompilerOptions = {
	target: ts.ScriptTarget.ES2022,
	lib: ['lib.es2023.d.ts'],
	module: ts.ModuleKind.Node16,
	moduleResolution: ts.ModuleResolutionKind.Node16,
	types: [],
	strict: true,
	// Loads no dependencies: only our modules are checked, and the types of others take seconds to load.
	noResolve: true,
};

const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef']);

/** Methods that change the array, map or set on which they are called. */
const MUTATORS = new Set([
	...['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'],
	...['set', 'add', 'delete', 'clear'],
]);

/** The expression without parentheses and type assertions. */
const bare = (node: ts.Expression): ts.Expression =>
	ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node)
		? bare(node.expression)
		: node;

/** The variable that an expression such as `state.counts[0]` starts from. */
function rootOf(node: ts.Expression): ts.Identifier | undefined {
	const expression = bare(node);
	if (ts.isIdentifier(expression)) return expression;
	return ts.isPropertyAccessExpression(expression) || ts.isElementAccessExpression(expression)
		? rootOf(expression.expression)
		: undefined;
}

/** What an expression writes to: the left side of an assignment, or what a call changes. */
function writtenBy(node: ts.Node): ts.Expression | undefined {
	if (ts.isBinaryExpression(node)) {
		const { FirstAssignment, LastAssignment } = ts.SyntaxKind;
		const { kind } = node.operatorToken;
		return kind >= FirstAssignment && kind <= LastAssignment ? node.left : undefined;
	}
	if (ts.isPostfixUnaryExpression(node)) return node.operand;
	if (ts.isPrefixUnaryExpression(node)) {
		const { PlusPlusToken, MinusMinusToken } = ts.SyntaxKind;
		const changes = node.operator === PlusPlusToken || node.operator === MinusMinusToken;
		return changes ? node.operand : undefined;
	}
	if (ts.isDeleteExpression(node)) return node.expression;
	if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) {
		return undefined;
	}
	const { expression: object, name } = node.expression;
	if (node.expression.getText() === 'Object.assign') return node.arguments[0];
	return MUTATORS.has(name.text) ? object : undefined;
}

/** Visits the code that runs when a module loads: nothing inside functions, except immediately invoked ones. */
function visitLoadTime(node: ts.Node, visit: (node: ts.Node) => void): void {
	ts.forEachChild(node, (child) => {
		visit(child);
		const isInvoked = ts.isParenthesizedExpression(node) && ts.isCallExpression(node.parent);
		if (!ts.isFunctionLike(child) || isInvoked) visitLoadTime(child, visit);
	});
}

const isStatic = (node: ts.Node): node is ts.PropertyDeclaration =>
	ts.isPropertyDeclaration(node) &&
	node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) === true;

/** Whether a declaration belongs to a module, rather than to a function or a block. */
const isOfModule = (node: ts.Node): boolean =>
	ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent);

/** Whether a value of a type can change: a collection, an instance of one of our classes, or an object that contains one. */
function isMutable(type: ts.Type, checker: ts.TypeChecker, depth = 0): boolean {
	const symbol = type.getSymbol();
	if (symbol && COLLECTIONS.has(symbol.name)) return true;
	const isOurs = symbol?.declarations?.some((one) => !one.getSourceFile().isDeclarationFile);
	if (symbol && isOurs && symbol.flags & ts.SymbolFlags.Class) return !isConstructor(type);
	if (!isOurs || depth > 3) return false;
	return type
		.getProperties()
		.some((property) => isMutable(checker.getTypeOfSymbol(property), checker, depth + 1));
}

/** A class itself, as opposed to an instance of it. */
const isConstructor = (type: ts.Type): boolean => type.getConstructSignatures().length > 0;

/** The name of a variable or a static property that can change; undefined for any other node. */
function stateIn(node: ts.Node, checker: ts.TypeChecker): string | undefined {
	if (isStatic(node)) return node.name.getText();
	if (!ts.isVariableDeclaration(node)) return undefined;
	const isConst = ts.getCombinedNodeFlags(node) & ts.NodeFlags.Const;
	const type = checker.getTypeAtLocation(node.name);
	const isReadonly = type.getSymbol()?.name.startsWith('Readonly') === true;
	const isInstance = node.initializer !== undefined && ts.isNewExpression(bare(node.initializer));
	const isState = !isConst || isMutable(type, checker) || (isInstance && !isReadonly);
	return isState ? node.name.getText() : undefined;
}

/** The variable of a module that an expression changes; undefined when it changes none. */
function changedBy(node: ts.Node, checker: ts.TypeChecker): string | undefined {
	const target = writtenBy(node);
	const root = target && rootOf(target);
	const symbol = root && checker.getSymbolAtLocation(root);
	if (!symbol) return undefined;
	const isImported = symbol.flags & ts.SymbolFlags.Alias;
	const { declarations } = isImported ? checker.getAliasedSymbol(symbol) : symbol;
	return declarations?.some(isOfModule) ? root.text : undefined;
}

/**
 * What the modules of a program can remember from one call to the next: variables that can be reassigned, collections
 * that are not declared read-only, instances of classes, static properties, and variables that some function changes.
 * @returns each as `file: name`
 */
function moduleStateOf(program: ts.Program, files: readonly string[]): string[] {
	const checker = program.getTypeChecker();
	const found = files.flatMap((file) => {
		const source = program.getSourceFile(file);
		if (!source) throw new Error(`${file} is not part of the program`);
		const names: Array<string | undefined> = [];
		visitLoadTime(source, (node) => names.push(stateIn(node, checker)));
		const visit = (node: ts.Node): void => {
			names.push(changedBy(node, checker));
			ts.forEachChild(node, visit);
		};
		visit(source);
		const known = names.filter((name) => name !== undefined);
		return known.map((name) => `${relative(repository, file)}: ${name}`);
	});
	return [...new Set(found)];
}

/** The state in the modules of the package. */
export const shippedModuleState = (): string[] =>
	moduleStateOf(ts.createProgram(SHIPPED, OPTIONS), SHIPPED);

/** The names of the state in a module with the given source. */
export function moduleStateIn(source: string): string[] {
	const file = join(repository, 'sample.ts');
	const host = ts.createCompilerHost(OPTIONS);
	const readOther = host.getSourceFile.bind(host);
	host.getSourceFile = (name, target) =>
		name === file ? ts.createSourceFile(name, source, target, true) : readOther(name, target);
	const program = ts.createProgram([file], OPTIONS, host);
	return moduleStateOf(program, [file]).map((one) => one.replace('sample.ts: ', ''));
}
