/** What n8n cuts off, or shows as a wall of text, nobody reads (D101). */
import { EVENTS } from '../../../nodes/OutreachService/domain/eventTypes';
import { OutreachService } from '../../../nodes/OutreachService/OutreachService.node';
import { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import { LABEL_WIDTH, widthOnCanvas } from './canvasFont';
import { EVERY_PROPERTY } from './everyProperty';

type Text = { path: string; text: string };

/** The maximum numbers of characters. */
const LONGEST = {
	description: 140,
	valueDescription: 100,
	notice: 170,
	nodeDescription: 110,
	fieldName: 26,
};

const tooLong = (texts: readonly Text[], longest: number): string[] => {
	expect(texts.length).toBeGreaterThan(0);
	return texts
		.filter(({ text }) => text.length > longest)
		.map(({ path, text }) => `${path}: ${text.length} characters`);
};

/** The values of all fields, each with its name and its description. */
const values = EVERY_PROPERTY.flatMap(({ path, property: { options = [] } }) =>
	options.flatMap((option) => ('value' in option ? [{ path, ...option }] : [])),
);

describe('A text in the editor is short enough to be read there', () => {
	it('the description of a field', () => {
		const texts = EVERY_PROPERTY.map(({ path, property }) => ({
			path,
			text: property.description ?? '',
		}));
		expect(tooLong(texts, LONGEST.description)).toEqual([]);
	});

	it('the description of a value, of which n8n shows two lines', () => {
		const texts = values.map(({ path, name, description = '' }) => ({
			path: `${path} › ${name}`,
			text: description,
		}));
		expect(tooLong(texts, LONGEST.valueDescription)).toEqual([]);
	});

	it('a notice', () => {
		const texts = EVERY_PROPERTY.filter(({ property }) => property.type === 'notice').map(
			({ path, property }) => ({ path, text: property.displayName }),
		);
		expect(tooLong(texts, LONGEST.notice)).toEqual([]);
	});

	it('the description of a node', () => {
		const nodes = [new OutreachService(), new OutreachServiceTrigger()];
		const texts = nodes.map(({ description }) => ({
			path: description.displayName,
			text: description.description,
		}));
		expect(tooLong(texts, LONGEST.nodeDescription)).toEqual([]);
	});
});

it('The name of a field is short enough for its line, in which n8n cuts off the rest', () => {
	const names = EVERY_PROPERTY.filter(({ property }) => property.type !== 'notice').map(
		({ path, property }) => ({ path, text: property.displayName }),
	);
	expect(tooLong(names, LONGEST.fieldName)).toEqual([]);
});

it('The label of each output is shown in full where nothing is connected', () => {
	const labels = [...EVENTS.values()].map(({ label }) => label);
	labels.push('Other events');
	const cut = labels.filter((label) => widthOnCanvas(label) > LABEL_WIDTH);
	expect(cut).toEqual([]);
});

it('A text in the editor names activities only where a record of the API is meant', () => {
	const isRecord = (text: string): boolean => /\bactivit(y|ies) (as|record)\b/i.test(text);
	const texts = [
		...EVERY_PROPERTY.map(({ path, property }) => ({
			path,
			text: `${property.displayName}. ${property.description ?? ''}`,
		})),
		...values.map(({ path, name, description = '' }) => ({
			path,
			text: `${name}. ${description}`,
		})),
	];
	const found = texts.filter(({ text }) => /\bactivit(y|ies)\b/i.test(text) && !isRecord(text));
	expect(found).toEqual([]);
});
