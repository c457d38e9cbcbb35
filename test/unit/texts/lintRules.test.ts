import { read } from './everyDocument';

test("A rule of n8n's linter is switched off only with the reason beside it", () => {
	const config = read('eslint.config.mjs');
	const off = [...config.matchAll(/'n8n-nodes-base\/[\w-]+': 'off'/g)];
	const withReason = [
		...config.matchAll(/\/\/ Off in n8n's scan too: .+\n(?:\s+'n8n-\S+': 'off',\n)+/g),
	].flatMap(([block]) => block.match(/'off'/g) ?? []);
	expect(off.length).toBeGreaterThan(0);
	expect(withReason).toHaveLength(off.length);
});
