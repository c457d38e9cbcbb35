import type { Switches } from '../switches';

/** The type of a field of the People record: a basic type, a list of numbers or a list of objects. */
type FieldType =
	| 'string'
	| 'integer'
	| 'number'
	| 'boolean'
	| { listOf: 'number'; length: number }
	| { listOf: Fields };

/** Fields by name. */
interface Fields {
	readonly [name: string]: FieldType;
}

const strings = (names: string): Fields =>
	Object.fromEntries(names.split(' ').map((name) => [name, 'string' as const]));

const integers = (names: string): Fields =>
	Object.fromEntries(names.split(' ').map((name) => [name, 'integer' as const]));

const EDUCATION: Fields = strings(
	'activities_and_societies created date_from date_to deleted description id last_updated member_id school_url ' +
		'subtitle title',
);

const EXPERIENCE: Fields = {
	...integers(
		'company_id company_employee_count company_followers_count company_founded employees_count_growth order_in_profile',
	),
	main_in_profile: 'boolean',
	...strings(
		'company_description company_headquarters_city company_headquarters_country company_industry ' +
			'company_linkedin_url company_logo_url company_name company_size company_type company_url ' +
			'company_website_url revenue_bucket company_domain last_funding_round_at business_business_customer ' +
			'current_exp_bucket created date_from date_to description duration id last_updated location member_id ' +
			'title title_normalized',
	),
};

/** The People record with all its fields (§2.2). */
const PEOPLE_FIELDS: Fields = {
	lead_id: 'integer',
	canonical_shorthand_name: 'string',
	connections_count: 'integer',
	country: 'string',
	full_name: 'string',
	education: { listOf: EDUCATION },
	experience_count: 'integer',
	experiences: { listOf: EXPERIENCE },
	interests: { listOf: strings('interest interest_id') },
	languages: { listOf: strings('language proficiency') },
	...strings('last_updated lead_industry lead_linkedin_url lead_logo_url linkedin_short location'),
	skills: { listOf: strings('skill skill_id') },
	summary: 'string',
	title: 'string',
	lead_quality_score: 'integer',
	...strings(
		'seniority department connections_count_bucket years_of_exp_bucket current_exp_company_name',
	),
	geopoint: { listOf: 'number', length: 2 },
	_score: 'number',
	_id: 'string',
};

/** The record in a later version (§9.2): with one field added, one removed and one of another type. */
function laterPeopleFields(): Fields {
	const kept = Object.entries(PEOPLE_FIELDS).filter(([name]) => name !== 'department');
	return { ...Object.fromEntries(kept), connections_count: 'string', pronouns: 'string' };
}

/** A format for describing fields. */
interface Notation {
	leaf(type: string): unknown;
	list(items: unknown, length?: number): unknown;
	object(fields: [name: string, described: unknown][]): unknown;
}

const properties = (fields: [string, unknown][]) => ({
	type: 'object',
	properties: Object.fromEntries(fields),
});

const NOTATIONS: Record<Switches['schemaShape'], Notation> = {
	jsonSchema: {
		leaf: (type) => ({ type }),
		list: (items, length) => ({
			type: 'array',
			items,
			...(length !== undefined && { minItems: length, maxItems: length }),
		}),
		object: properties,
	},
	map: {
		leaf: (type) => type,
		list: (items) => [items],
		object: (fields) => Object.fromEntries(fields),
	},
	sample: {
		leaf: (type) => ({ string: 'text', integer: 7, number: 0.5, boolean: true })[type],
		list: (items, length = 1) => Array.from({ length }, () => items),
		object: (fields) => Object.fromEntries(fields),
	},
};

function describe(fields: Fields, notation: Notation): unknown {
	const describeType = (type: FieldType): unknown => {
		if (typeof type === 'string') return notation.leaf(type);
		if (type.listOf === 'number') return notation.list(notation.leaf('number'), type.length);
		return notation.list(describe(type.listOf, notation));
	};
	return notation.object(Object.entries(fields).map(([name, type]) => [name, describeType(type)]));
}

/** The response of `GET /schema/people` (§4.4), in the shape that the switches select. */
export function peopleSchema(switches: Pick<Switches, 'schemaShape' | 'schemaFields'>): unknown {
	const fields = switches.schemaFields === 'changed' ? laterPeopleFields() : PEOPLE_FIELDS;
	const described = describe(fields, NOTATIONS[switches.schemaShape]);
	return switches.schemaShape === 'jsonSchema' && typeof described === 'object'
		? { $schema: 'http://json-schema.org/draft-07/schema#', title: 'People', ...described }
		: described;
}
