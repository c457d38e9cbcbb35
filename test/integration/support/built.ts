/** The built modules, as the package ships them. Measurements of the tests put {@link ./sources} in their place. */
import { join } from 'node:path';

import type * as Action from '../../../nodes/OutreachService/OutreachService.node';
import type * as Trigger from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import type * as Delivery from '../../../nodes/OutreachService/trigger/delivery/receive';
import type * as Live from '../../../nodes/OutreachService/runtime/activeNodes';
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
/** The built node's own lock, in which a test waits for its turn, and what the process knows of active triggers. */
export const { activeNode, exclusively } = jest.requireActual<typeof Live>(
	join(dist, 'nodes/OutreachService/runtime/activeNodes.js'),
);
/** What the built node holds to recognize duplicates. */
export const { duplicateStats } = jest.requireActual<typeof Delivery>(
	join(dist, 'nodes/OutreachService/trigger/delivery/receive.js'),
);
