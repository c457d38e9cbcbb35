/** What the end-to-end tests have proved, for the table of compatibility. */
import { installN8n } from '../tools/host';
import { nodeVersion, proved } from '../tools/package/compatibility';
import { N8N_UNDER_TEST, SETTINGS_UNDER_TEST } from './e2e/underTest';

/** Of jest's results: those of one file. */
interface FileResults {
	testFilePath: string;
	numPassingTests: number;
	numFailingTests: number;
	numPendingTests: number;
	testExecError?: unknown;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Writes or checks the rows of the n8n under test: one for its default engine, and one for its engine 2.0, if it has it. */
export async function provedByTests(files: readonly FileResults[]): Promise<void> {
	if (files.some((file) => file.numFailingTests > 0 || file.testExecError)) return;
	const { version, node } = await installN8n(N8N_UNDER_TEST);
	const onEngine2 = files.filter(({ testFilePath }) => testFilePath.endsWith('/engine2.test.ts'));
	const settings = Object.entries(SETTINGS_UNDER_TEST).map((setting) => setting.join('='));
	for (const [engine, ran] of [
		['default', files.filter((file) => !onEngine2.includes(file))],
		['2.0', onEngine2],
	] as const) {
		const passed = sum(ran.map(({ numPassingTests }) => numPassingTests));
		const skipped = sum(ran.map(({ numPendingTests }) => numPendingTests));
		if (passed === 0) continue;
		proved({
			n8n: version,
			node: nodeVersion(node),
			mode: 'one process',
			engine,
			command: [...settings, 'npm run test:e2e'].join(' '),
			result: `${passed} tests passed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
		});
	}
}
