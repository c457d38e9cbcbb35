/** The definition of the People record (§2.2), as `GET /schema/people` returns it. */
import type { Switches } from '../switches';

type Basic = 'string' | 'integer' | 'number' | 'boolean';

/** A JSON Schema, as far as the record needs it. */
type Schema =
	| { type: Basic }
	| { type: 'array'; items: Schema; minItems?: number; maxItems?: number }
	| { type: 'object'; properties: Fields };

/** Fields by name. */
interface Fields {
	readonly [name: string]: Schema;
}

const all = (type: Basic, names: string): Fields =>
	Object.fromEntries(names.split(' ').map((name) => [name, { type }]));

const listOf = (properties: Fields): Schema => ({
	type: 'array',
	items: { type: 'object', properties },
});

const EDUCATION = all(
	'string',
	'activities_and_societies created date_from date_to deleted description id last_updated member_id school_url ' +
		'subtitle title',
);

const EXPERIENCE: Fields = {
	...all(
		'integer',
		'company_id company_employee_count company_followers_count company_founded employees_count_growth order_in_profile',
	),
	main_in_profile: { type: 'boolean' },
	...all(
		'string',
		'company_description company_headquarters_city company_headquarters_country company_industry ' +
			'company_linkedin_url company_logo_url company_name company_size company_type company_url ' +
			'company_website_url revenue_bucket company_domain last_funding_round_at business_business_customer ' +
			'current_exp_bucket created date_from date_to description duration id last_updated location member_id ' +
			'title title_normalized',
	),
};

const PEOPLE: Fields = {
	...all('integer', 'lead_id connections_count experience_count lead_quality_score'),
	...all(
		'string',
		'canonical_shorthand_name country full_name last_updated lead_industry lead_linkedin_url lead_logo_url ' +
			'linkedin_short location summary title seniority department connections_count_bucket ' +
			'years_of_exp_bucket current_exp_company_name _id',
	),
	education: listOf(EDUCATION),
	experiences: listOf(EXPERIENCE),
	interests: listOf(all('string', 'interest interest_id')),
	languages: listOf(all('string', 'language proficiency')),
	skills: listOf(all('string', 'skill skill_id')),
	geopoint: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
	_score: { type: 'number' },
};

/** The record in a later version (§9.2): with one field added, one removed and one of another type. */
function laterPeople(): Fields {
	const kept = Object.entries(PEOPLE).filter(([name]) => name !== 'department');
	return { ...Object.fromEntries(kept), ...all('string', 'connections_count pronouns') };
}

const SAMPLES = { string: 'text', integer: 7, number: 0.5, boolean: true };

/** A record, or the same with types in place of its values. */
function record(fields: Fields, shape: 'map' | 'sample'): object {
	const value = (schema: Schema): unknown => {
		if (schema.type === 'object') return record(schema.properties, shape);
		if (schema.type !== 'array') return shape === 'map' ? schema.type : SAMPLES[schema.type];
		const { items, minItems = 1 } = schema;
		return Array.from({ length: shape === 'map' ? 1 : minItems }, () => value(items));
	};
	return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, value(schema)]));
}

/** The response of `GET /schema/people` (§4.4), in the shape that the switches select. */
export function peopleSchema({
	schemaShape,
	schemaFields,
}: Pick<Switches, 'schemaShape' | 'schemaFields'>): object {
	const properties = schemaFields === 'changed' ? laterPeople() : PEOPLE;
	if (schemaShape !== 'jsonSchema') return record(properties, schemaShape);
	const $schema = 'http://json-schema.org/draft-07/schema#';
	return { $schema, title: 'People', type: 'object', properties };
}
