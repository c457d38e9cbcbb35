/** The fields of the People record that the API documents, by which a people schema is recognized. */
import { perExecution, type Item } from '../operation';
import { readSchema, unreadable } from './readSchema';
import { fieldsOf, type Definition, type SchemaField } from './schema';

const EDUCATION = {
	activities_and_societies: 'string',
	created: 'string',
	date_from: 'string',
	date_to: 'string',
	deleted: 'string',
	description: 'string',
	id: 'string',
	last_updated: 'string',
	member_id: 'string',
	school_url: 'string',
	subtitle: 'string',
	title: 'string',
};

const EXPERIENCE = {
	business_business_customer: 'string',
	company_description: 'string',
	company_domain: 'string',
	company_employee_count: 'integer',
	company_followers_count: 'integer',
	company_founded: 'integer',
	company_headquarters_city: 'string',
	company_headquarters_country: 'string',
	company_id: 'integer',
	company_industry: 'string',
	company_linkedin_url: 'string',
	company_logo_url: 'string',
	company_name: 'string',
	company_size: 'string',
	company_type: 'string',
	company_url: 'string',
	company_website_url: 'string',
	created: 'string',
	current_exp_bucket: 'string',
	date_from: 'string',
	date_to: 'string',
	description: 'string',
	duration: 'string',
	employees_count_growth: 'integer',
	id: 'string',
	last_funding_round_at: 'string',
	last_updated: 'string',
	location: 'string',
	main_in_profile: 'boolean',
	member_id: 'string',
	order_in_profile: 'integer',
	revenue_bucket: 'string',
	title: 'string',
	title_normalized: 'string',
};

/** The People record as version 1.0.0 of the API documents it (§2.2). */
const DOCUMENTED_RECORD = {
	_id: 'string',
	_score: 'number',
	canonical_shorthand_name: 'string',
	connections_count: 'integer',
	connections_count_bucket: 'string',
	country: 'string',
	current_exp_company_name: 'string',
	department: 'string',
	experience_count: 'integer',
	full_name: 'string',
	last_updated: 'string',
	lead_id: 'integer',
	lead_industry: 'string',
	lead_linkedin_url: 'string',
	lead_logo_url: 'string',
	lead_quality_score: 'integer',
	linkedin_short: 'string',
	location: 'string',
	seniority: 'string',
	summary: 'string',
	title: 'string',
	years_of_exp_bucket: 'string',
	geopoint: ['number'],
	education: [EDUCATION],
	experiences: [EXPERIENCE],
	interests: [{ interest: 'string', interest_id: 'string' }],
	languages: [{ language: 'string', proficiency: 'string' }],
	skills: [{ skill: 'string', skill_id: 'string' }],
};

/** The fields of the documented record. */
export const DOCUMENTED_PEOPLE_FIELDS: readonly SchemaField[] = fieldsOf(
	readSchema(DOCUMENTED_RECORD),
);

/** What was read of each response, so that it is read once for all items. */
const readIn = perExecution(() => new WeakMap<object, Definition>());

/**
 * The schema that the service returns now (§4.4). A schema without any documented field describes something else, such as a
 * maintenance message (D97): Compare would report every documented field as removed.
 * @throws RequestError for such a schema, and for a format that cannot be read
 */
export async function currentSchema(item: Item): Promise<Definition> {
	const response = await item.client.getPeopleSchema();
	const read = readIn(item);
	const schema = read.get(response) ?? readSchema(response);
	if (!DOCUMENTED_PEOPLE_FIELDS.some(({ path }) => schema.fields.has(path))) throw unreadable();
	read.set(response, schema);
	return schema;
}
