import { RequestError } from '../../api/errors';
import { fieldsOf, parseSchema, UNKNOWN_FORMAT, type JsonSchema, type SchemaField } from './schema';

const strings = (names: string): Record<string, string> =>
	Object.fromEntries(names.split(' ').map((name) => [name, 'string']));

const integers = (names: string): Record<string, string> =>
	Object.fromEntries(names.split(' ').map((name) => [name, 'integer']));

const EDUCATION = strings(
	'activities_and_societies created date_from date_to deleted description id last_updated member_id school_url subtitle title',
);

const EXPERIENCE = {
	...integers(
		'company_id company_employee_count company_followers_count company_founded employees_count_growth order_in_profile',
	),
	main_in_profile: 'boolean',
	...strings(
		'company_description company_headquarters_city company_headquarters_country company_industry company_linkedin_url company_logo_url company_name company_size company_type company_url company_website_url revenue_bucket company_domain last_funding_round_at business_business_customer current_exp_bucket created date_from date_to description duration id last_updated location member_id title title_normalized',
	),
};

/** The People record as version 1.0.0 of the API spec documents it (§2.2). */
export const DOCUMENTED_PEOPLE_FIELDS: readonly SchemaField[] = fieldsOf(
	parseSchema({
		...integers('lead_id connections_count experience_count lead_quality_score'),
		...strings(
			'canonical_shorthand_name country full_name last_updated lead_industry lead_linkedin_url lead_logo_url linkedin_short location summary title seniority department connections_count_bucket years_of_exp_bucket current_exp_company_name _id',
		),
		_score: 'number',
		geopoint: ['number'],
		education: [EDUCATION],
		experiences: [EXPERIENCE],
		interests: [strings('interest interest_id')],
		languages: [strings('language proficiency')],
		skills: [strings('skill skill_id')],
	}),
);

const DOCUMENTED_PATHS: ReadonlySet<string> = new Set(
	DOCUMENTED_PEOPLE_FIELDS.map(({ path }) => path),
);

/**
 * Reads the definition that the service returns now. What has none of the documented fields describes something else, such
 * as a maintenance message (D97): every documented field would have to be reported as removed.
 * @throws RequestError for a format that cannot be read
 */
export function parseCurrentSchema(given: unknown): JsonSchema {
	const schema = parseSchema(given);
	if (Object.keys(schema.properties ?? {}).some((name) => DOCUMENTED_PATHS.has(name)))
		return schema;
	throw new RequestError('unparsable', UNKNOWN_FORMAT);
}
