import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** What n8n's editor shows of a node: no behaviour. That it is complete and well written, test/unit/texts sees to. */
const REASON = 'describes a node for the editor';

/** A list of fields or event types as literals. One that is put together from parts is code, and is not left out. */
function isDescriptionType({ id, init }) {
	const isLiteral =
		init?.type === 'ObjectExpression' ||
		(init?.type === 'ArrayExpression' &&
			init.elements.every(({ type }) => type !== 'SpreadElement'));
	return (
		isLiteral && /"(INodeProperties|EventTypes)"/.test(JSON.stringify(id.typeAnnotation ?? ''))
	);
}

/** The fields of a node or a credential that n8n reads to show it. */
const DESCRIBING = ['description', 'name', 'displayName', 'icon', 'documentationUrl', 'properties'];

const keyOf = ({ key }) => key?.name;

/** The words of an operation or a resource; their values are what workflows store. */
function isWordOfOperation({ node, parent }) {
	if (!['name', 'action', 'description'].includes(keyOf(node))) return false;
	return parent.properties?.some((one) => ['run', 'operations'].includes(keyOf(one))) ?? false;
}

function shouldIgnore(path) {
	const { node } = path;
	const isDescription =
		(node.type === 'ClassProperty' && DESCRIBING.includes(keyOf(node))) ||
		(node.type === 'VariableDeclarator' && isDescriptionType(node)) ||
		(node.type === 'ObjectProperty' &&
			((keyOf(node) === 'properties' && node.value.type === 'ArrayExpression') ||
				isWordOfOperation(path)));
	return isDescription ? REASON : undefined;
}

export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'descriptions', { shouldIgnore }),
];
