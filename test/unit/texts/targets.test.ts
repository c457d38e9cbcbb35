/** Documents and examples name every value of `target`, with which Check Many says what listens at a target URL. */
import { TARGETS } from '../../../nodes/OutreachService/targets/targets';
import { read } from './everyDocument';

it('The documentation of Check Many explains every value, and no other', () => {
	const [, section = ''] = read('docs/actions.md').split('\n## Check Many\n');
	const [table = ''] = section.split('\n## ');
	const values = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, value]) => value);
	expect(values).toEqual(['target', ...TARGETS]);
});

it('The example of an MCP server names every value to the model', () => {
	const [, named = ''] =
		/listens at its target URL: ([^"]+)"/.exec(read('examples/mcp-server.json')) ?? [];
	expect(named.split(/, | or /)).toEqual(TARGETS.map(String));
});
