import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { defineConfig, globalIgnores } from 'eslint/config';
import importX from 'eslint-plugin-import-x';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';
import { noCircle } from './eslint.circles.mjs';

const NODE = './nodes/OutreachService';

/** The layers, from top to bottom: imports only go down. */
const LAYERS = [
	'*.node.ts',
	'{actions,trigger,methods}/**',
	'runtime/**',
	'targets/**',
	'api/**',
	'parameters/**',
	'domain/**',
	'utils/**',
];
const above = (layer) => LAYERS.slice(0, layer).map((folder) => `${NODE}/${folder}`);
const importDirections = [
	{ target: `${NODE}/actions`, from: [`${NODE}/{trigger,methods}/**`, ...above(1)] },
	{ target: `${NODE}/trigger`, from: [`${NODE}/{actions,methods}/**`, ...above(1)] },
	{ target: `${NODE}/methods`, from: [`${NODE}/{actions,trigger}/**`, ...above(1)] },
	{ target: `${NODE}/runtime`, from: above(2) },
	{ target: `${NODE}/targets`, from: above(3) },
	{ target: `${NODE}/api`, from: above(4) },
	{ target: `${NODE}/parameters`, from: above(5) },
	{ target: `${NODE}/domain`, from: above(6) },
	{ target: `${NODE}/utils`, from: above(7) },
	{ target: './credentials', from: ['./nodes/**', './test/**', './tools/**'] },
	{ target: './nodes', from: ['./test/**', './tools/**'] },
	// The local service is written from the API alone, so that it does not repeat mistakes of the nodes.
	{ target: './tools/service', from: ['./nodes/**', './credentials/**', './tools/!(service)/**'] },
	{ target: './test/service', from: ['./nodes/**', './credentials/**'] },
	// Programs build on the local service and the host, never on tests.
	{ target: './tools', from: ['./test/**'] },
	{
		target: './tools/host',
		from: ['./tools/!(host|service)/**'],
	},
	{
		target: './tools/histories',
		from: ['./nodes/**', './credentials/**', './tools/!(histories|load|service)/**'],
	},
];

/** Idioms that save a line and cost the reader a second look. */
const SAVED_LINES = [
	{
		selector: 'SpreadElement > :matches(ObjectExpression, ArrayExpression)',
		message: 'Write each property or element on its own.',
	},
	{
		selector:
			"UnaryExpression[operator='void'] > CallExpression > MemberExpression > CallExpression",
		message: 'Give what runs in the background a function with a name.',
	},
	{
		selector: ':not(ExpressionStatement, ForStatement) > AssignmentExpression',
		message: 'Assign in a statement of its own.',
	},
	{ selector: 'ForStatement[test=null]', message: 'Say in the condition how long it goes on.' },
	{
		selector: 'VariableDeclarator > Identifier.id[name=/^[a-zA-Z]$/]',
		message: 'Give it a name that says what it is.',
	},
	{
		selector:
			":matches(FunctionDeclaration, FunctionExpression, ArrowFunctionExpression[body.type='BlockStatement']) > Identifier.params[name=/^[a-zA-Z]$/]",
		message: 'Only a callback of one line may have a parameter of one letter.',
	},
];

export default defineConfig(
	globalIgnores(['dist/', 'coverage/', 'node_modules/', '.demo/']),

	// The rules of n8n's verification, for everything that ships.
	{
		files: ['package.json', '{nodes,credentials}/**/*.{ts,json}'],
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: { 'no-console': 'error' },
		linterOptions: { noInlineConfig: true },
	},
	{ files: ['package.json'], rules: { ...n8nNodesBase.configs.community.rules } },
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			// Off in n8n's scan too: one is for n8n's own nodes, and its newer plugin has a better version of the other.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			// Off in n8n's scan too: connections may be written as the enum, and an API can have a real maximum.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{ files: ['**/*.json'], languageOptions: { parser: tseslint.parser } },

	// Rules for all TypeScript files.
	{
		files: ['**/*.ts'],
		extends: [tseslint.configs.strictTypeChecked],
		languageOptions: {
			parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
		},
		plugins: { 'import-x': importX, local: { rules: { 'no-circle': noCircle } } },
		settings: { 'import-x/resolver': { node: { extensions: ['.ts', '.js'] } } },
		rules: {
			'@typescript-eslint/restrict-template-expressions': [
				'error',
				{ allowNumber: true, allowBoolean: true },
			],
			'@typescript-eslint/consistent-type-imports': 'error',
			'no-nested-ternary': 'error',
			'no-restricted-syntax': ['error', ...SAVED_LINES],
			'@typescript-eslint/no-unnecessary-condition': [
				'error',
				{ allowConstantLoopConditions: 'only-allowed-literals' },
			],
			// Functions that n8n calls must return promises even if they have nothing to await.
			'@typescript-eslint/require-await': 'off',
			'import-x/no-restricted-paths': ['error', { zones: importDirections }],
			'@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
			'local/no-circle': 'error',
		},
	},
	// The package has no dependencies: it uses only what n8n provides, and Node's crypto.
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		rules: {
			'no-restricted-syntax': [
				'error',
				...SAVED_LINES,
				{
					selector: 'SpreadElement > :matches(ConditionalExpression, LogicalExpression)',
					message: 'Set the property in an if statement.',
				},
			],
			'@typescript-eslint/no-restricted-imports': [
				'error',
				{
					patterns: [
						{
							regex: '^(?!\\.{1,2}/|n8n-workflow$|zod$|crypto$|node:crypto$)',
							message: 'The package may import only n8n-workflow, zod and crypto.',
						},
					],
				},
			],
		},
	},
	{
		files: ['{nodes,credentials,test,tools}/**/*.ts'],
		rules: {
			'no-restricted-properties': [
				'error',
				{
					object: 'URL',
					property: 'canParse',
					message: "It is wrong on Node.js 20 once it has been called often: see 'parseUrl'.",
				},
			],
		},
	},
	{
		files: ['{test,tools}/**/*.ts'],
		rules: {
			'@typescript-eslint/no-non-null-assertion': 'off',
		},
	},
	// An imported limit would follow a mistake in it: a test says what the limit must be.
	{
		files: ['test/**/*.ts'],
		rules: {
			'no-restricted-syntax': [
				'error',
				...SAVED_LINES,
				{
					selector:
						"CallExpression[callee.property.name='toThrow'][arguments.length=0]:not([callee.object.property.name='not'])",
					message: 'Say which error: any other one would do.',
				},
			],
			'@typescript-eslint/no-restricted-imports': [
				'error',
				{
					patterns: [
						{
							regex: '/nodes/OutreachService/',
							allowTypeImports: true,
							importNamePattern:
								'^(MAX|MIN|LONGEST|SHORTEST|DEFAULT|TIMES)_|_(MS|BYTES|SECONDS|CHARACTERS|PER_WINDOW)$|^CONCURRENCY$',
							message: 'Write the number: an imported limit follows a mistake in it.',
						},
					],
				},
			],
		},
	},
	{
		files: ['*.js'],
		languageOptions: { sourceType: 'commonjs' },
		rules: { 'no-unused-expressions': 'error' },
	},
);
