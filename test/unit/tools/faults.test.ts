/** Random histories expect the node to recover without the user exactly where it would. */
import { isOutage } from '../../../nodes/OutreachService/api/errors';
import { responseError } from '../../../nodes/OutreachService/api/response';
import { responseOf } from '../api/responseOf';
import { failed, isRefusal } from '../../../tools/histories/faults';

it('A status that the node takes for an outage is one in random histories, too, and any other is a refusal', () => {
	const statuses = Array.from({ length: 200 }, (_, index) => 400 + index);
	const byNode = (status: number) => isOutage(responseError(responseOf(status), 'api.test'));
	expect(statuses.map((status) => [status, isRefusal(failed(status))])).toEqual(
		statuses.map((status) => [status, !byNode(status)]),
	);
});
