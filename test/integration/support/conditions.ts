/** A value of the option *Only When* with one condition, as n8n's editor stores it. */
export const onlyWhen = (
	leftValue: string,
	rightValue: string,
	operator = { type: 'string', operation: 'equals' },
) => ({
	combinator: 'and',
	conditions: [{ id: '1', leftValue, operator, rightValue }],
	options: { caseSensitive: false, leftValue: '', typeValidation: 'loose', version: 2 },
});
