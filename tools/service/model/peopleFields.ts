import { without } from '../support/without';

/** The type of a field of the People record: a basic type, a list of numbers or a list of objects. */
export type FieldType =
	| 'string'
	| 'integer'
	| 'number'
	| 'boolean'
	| { listOf: 'number'; length: number }
	| { listOf: Fields };

/** Fields by name. */
export interface Fields {
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
export const PEOPLE_FIELDS: Fields = {
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
export function laterPeopleFields(): Fields {
	return {
		...without(PEOPLE_FIELDS, ['department']),
		connections_count: 'string',
		pronouns: 'string',
	};
}
