import { read } from '../texts/everyDocument';

/** Each recipe of docs/recipes.md by its title, with what it says is to be pasted. */
export const RECIPES: ReadonlyMap<string, string[]> = new Map(
	read('docs/recipes.md')
		.split(/^## /m)
		.slice(1)
		.map((recipe) => [
			recipe.split('\n')[0] ?? '',
			[...recipe.matchAll(/^```\n([^`]+)\n```$/gm)].map(([, code = '']) => code),
		]),
);

/** @throws if there is no recipe with the title */
export function pastedFrom(title: string): string[] {
	const pasted = RECIPES.get(title);
	if (pasted === undefined) throw new Error(`There is no recipe '${title}'`);
	return pasted;
}
