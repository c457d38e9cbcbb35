/** The fields of the People record that the API documents, by which a people schema is recognized. */
import type { Item } from '../operation';
import { readSchema, unreadable } from './readSchema';
import { fieldsOf, type Definition, type SchemaField } from './schema';

/** Fields of one type. @param names separated by white space */
const all = (type: string, names: string): Record<string, string> =>
	Object.fromEntries(names.split(/\s+/).map((name) => [name, type]));

/** An Education of a record (§2.2). */
const EDUCATION = all(
	'string',
	'activities_and_societies created date_from date_to deleted description id last_updated member_id school_url subtitle title',
);

/** An Experience of a record (§2.2). */
const EXPERIENCE = {
	...all(
		'integer',
		'company_id company_employee_count company_followers_count company_founded employees_count_growth order_in_profile',
	),
	...all('boolean', 'main_in_profile'),
	...all(
		'string',
		'company_description company_headquarters_city company_headquarters_country company_industry company_linkedin_url company_logo_url company_name company_size company_type company_url company_website_url',
	),
	...all(
		'string',
		'revenue_bucket company_domain last_funding_round_at business_business_customer current_exp_bucket created date_from date_to description duration id last_updated location member_id title title_normalized',
	),
};

/** The People record, in the order in which version 1.0.0 of the API documents it (§2.2). */
const DOCUMENTED_RECORD = {
	...all(
		'string',
		'canonical_shorthand_name country full_name last_updated lead_industry lead_linkedin_url lead_logo_url linkedin_short location summary title seniority department',
	),
	...all('string', 'connections_count_bucket years_of_exp_bucket current_exp_company_name _id'),
	...all('integer', 'lead_id connections_count experience_count lead_quality_score'),
	...all('number', '_score'),
	geopoint: ['number'],
	interests: [all('string', 'interest interest_id')],
	languages: [all('string', 'language proficiency')],
	skills: [all('string', 'skill skill_id')],
	education: [EDUCATION],
	experiences: [EXPERIENCE],
};

/** The fields of the documented record. */
export const DOCUMENTED_PEOPLE_FIELDS: readonly SchemaField[] = fieldsOf(
	readSchema(DOCUMENTED_RECORD),
);

/** Whether any of these fields is documented. Without one, they are of something else, such as a maintenance message (D97). */
export const isOfPeople = (fields: readonly SchemaField[]): boolean =>
	fields.some(({ path }) =>
		DOCUMENTED_PEOPLE_FIELDS.some((documented) => documented.path === path),
	);

/**
 * The schema that the service returns now (§4.4), and its fields.
 * @throws RequestError for a response that cannot be read as a schema of people
 */
export async function currentSchema({
	client,
}: Item): Promise<{ schema: Definition; fields: SchemaField[] }> {
	const schema = readSchema(await client.getPeopleSchema());
	const fields = fieldsOf(schema);
	if (!isOfPeople(fields)) throw unreadable();
	return { schema, fields };
}
