import { withRuntime, type Runtime } from '../../runtime/runtime';
import { isRegistered, register } from './register';
import { unregister } from './unregister';

/** What n8n calls when it activates a workflow, begins a test run, and ends either. */
export const lifecycleOf = (node: { readonly runtime: Runtime }) => ({
	checkExists: withRuntime(node, isRegistered),
	create: withRuntime(node, register),
	delete: withRuntime(node, unregister),
});
