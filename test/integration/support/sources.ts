/** The same as {@link ./built} from the TypeScript sources, whose lines coverage reports. */
export { OutreachService } from '../../../nodes/OutreachService/OutreachService.node';
export { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
export { OutreachServiceApi } from '../../../credentials/OutreachServiceApi.credentials';
export { Runtime } from '../../../nodes/OutreachService/runtime/runtime';
