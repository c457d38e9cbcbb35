/** The built modules, as the package ships them. Coverage replaces this file with {@link ./sources}. */
import { join } from 'node:path';

import type * as Action from '../../../nodes/OutreachService/OutreachService.node';
import type * as Trigger from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import type * as RuntimeModule from '../../../nodes/OutreachService/runtime/runtime';
import type * as Credentials from '../../../credentials/OutreachServiceApi.credentials';

const dist = join(__dirname, '..', '..', '..', 'dist');

export const { OutreachService } = jest.requireActual<typeof Action>(
	join(dist, 'nodes/OutreachService/OutreachService.node.js'),
);
export const { OutreachServiceTrigger } = jest.requireActual<typeof Trigger>(
	join(dist, 'nodes/OutreachService/OutreachServiceTrigger.node.js'),
);
export const { OutreachServiceApi } = jest.requireActual<typeof Credentials>(
	join(dist, 'credentials/OutreachServiceApi.credentials.js'),
);
export const { Runtime } = jest.requireActual<typeof RuntimeModule>(
	join(dist, 'nodes/OutreachService/runtime/runtime.js'),
);
