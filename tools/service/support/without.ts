/** A copy of `record` without some of its fields. */
export function without<T>(
	record: Readonly<Record<string, T>>,
	fields: readonly string[],
): Record<string, T> {
	return Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name)));
}
