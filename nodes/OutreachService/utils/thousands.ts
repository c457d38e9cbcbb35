/**
 * A whole number as people read it: '50,000'. Not `toLocaleString()`: with it, n8n would load the rules of languages when
 * it starts.
 */
export const thousands = (value: number): string =>
	String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
