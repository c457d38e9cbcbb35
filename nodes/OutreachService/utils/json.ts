/** Parsing JSON. */
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

/** The value of a JSON text; undefined when the text is not valid JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Whether a value is an object, and neither a list nor null. */
export const isJsonObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any JSON object; its fields are passed on as they are. */
export const jsonObjectSchema = z.custom<IDataObject>(isJsonObject, 'not a JSON object');
