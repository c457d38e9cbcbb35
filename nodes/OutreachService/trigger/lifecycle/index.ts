import { boundTo } from '../../runtime/boundTo';
import type { Runtime } from '../../runtime/runtime';
import { isRegistered, register } from './register';
import { unregister } from './unregister';

/** What n8n calls when it activates a workflow, begins a test run, and ends either. */
export const lifecycleOf = (node: { readonly runtime: Runtime }) => ({
	checkExists: boundTo(node, () => isRegistered),
	create: boundTo(node, () => register),
	delete: boundTo(node, () => unregister),
});
