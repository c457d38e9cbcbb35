/** The same as {@link ./built} from the sources: coverage and mutants are told by their lines. */
export { OutreachService } from '../../../nodes/OutreachService/OutreachService.node';
export { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
export { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';
export { activeNode, exclusively } from '../../../nodes/OutreachService/runtime/activeNodes';
export { duplicateStats } from '../../../nodes/OutreachService/trigger/delivery/receive';
