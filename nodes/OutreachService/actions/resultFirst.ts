import type { IDataObject } from 'n8n-workflow';

/** A webhook without its secret, which the service never returns (§6.4), but another server in its place may. */
const withoutSecret = (object: IDataObject): IDataObject =>
	Object.fromEntries(Object.entries(object).filter(([name]) => name !== 'secret'));

/**
 * The service's own object, preceded by what the operation did. In the editor's table, columns are as many as there are
 * fields: what decides would be out of sight. The fields of the operation win.
 */
export const resultFirst = (result: IDataObject, object: IDataObject): IDataObject => ({
	...result,
	...withoutSecret(object),
	...result,
});
