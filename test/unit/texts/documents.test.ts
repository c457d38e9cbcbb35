import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';

const repository = resolve(__dirname, '../../..');
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

const source = ['nodes', 'credentials']
	.flatMap((folder) =>
		readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => read(join(folder, file))),
	)
	.join('\n');

/** The rows of the first table after a heading, as the texts of their first cells. */
function firstColumn(document: string, heading: string): string[] {
	const section = document.split(new RegExp(`^#+ ${heading}$`, 'm'))[1] ?? '';
	const rows = /(?:^\|.*\n)+/m.exec(section)?.[0].trim().split('\n').slice(2) ?? [];
	return rows.map((row) => row.split('|')[1]?.trim() ?? '');
}

const readme = read('README.md');

/** A row about what one sees, and not about a message. */
const SYMPTOM = 'The workflow is active, but nothing happens';

describe('a message in the README', () => {
	const messages = firstColumn(readme, 'When something goes wrong')
		.filter((cell) => cell !== SYMPTOM)
		.flatMap((cell) => cell.split('·'));

	it('is there for most things that can go wrong', () => {
		expect(messages.length).toBeGreaterThan(10);
	});

	it.each(messages)('is what the nodes say: %s', (message) => {
		for (const part of message.split('…').map((text) => text.trim()))
			expect(source).toContain(part);
	});
});

describe('a command in the documents', () => {
	const { scripts } = z
		.object({ scripts: z.record(z.string()) })
		.parse(JSON.parse(read('package.json')));
	const documents = ['README.md', 'CONTRIBUTING.md']
		.concat(readdirSync(join(repository, 'docs')).map((file) => join('docs', file)))
		.filter((file) => file.endsWith('.md'));
	const commands = documents.flatMap((file) =>
		[...read(file).matchAll(/npm run ([\w:-]+)/g)].map((match) => [match[1] ?? '', file]),
	);

	it.each(commands)('npm run %s is one of package.json (%s)', (command) => {
		expect(Object.keys(scripts)).toContain(command);
	});

	it.each(Object.keys(scripts))('npm run %s is explained in CONTRIBUTING or the README', (name) => {
		const isNamed = `${readme}${read('CONTRIBUTING.md')}`.includes(
			name === 'test' ? 'npm test' : `npm run ${name}`,
		);
		expect(isNamed).toBe(true);
	});
});

it('shows only pictures that are there', () => {
	const pictures = [...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map((match) => match[1] ?? '');
	for (const picture of pictures)
		expect(() => readFileSync(join(repository, picture))).not.toThrow();
});
