/** The same as {@link ./built} from the sources: coverage and mutants are told by their lines. */
export { OutreachService } from '../../../nodes/OutreachService/OutreachService.node';
export { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
export { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';
export { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
