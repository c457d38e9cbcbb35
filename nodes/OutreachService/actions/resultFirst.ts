import type { IDataObject } from 'n8n-workflow';

/**
 * The service's own object, preceded by what the operation did. In the editor's table, columns are as many as there are
 * fields: what decides would be out of sight. The fields of the operation win.
 */
export const resultFirst = (result: IDataObject, object: IDataObject): IDataObject => ({
	...result,
	...object,
	...result,
});
