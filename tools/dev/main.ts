/** `npm run dev`: a real n8n whose package follows the sources; with `--once` it tries that out and ends by itself. */
import { Command } from 'commander';
import { repository } from '../host';
import { print } from '../terminal/print';
import { runProgram } from '../terminal/program';
import { explainHost, withLogOnFailure } from '../terminal/start';
import { startDevHost } from './run';
import { copySources, tryChanges } from './tryOut';

const { once } = new Command('npm run dev --')
	.description('Runs the package in a real n8n, which reloads it whenever a source file changes.')
	.option('--once', 'change a copy of the sources: exit code 0 if n8n serves the changes', false)
	.parse()
	.opts<{ once: boolean }>();

void runProgram('dev', async (program) => {
	if (once) {
		const sources = await copySources(program.folder);
		const { server } = await startDevHost(sources, program);
		await withLogOnFailure(server, () => tryChanges(server, sources));
		print('\n✓ n8n serves both changes, without a restart.');
		return;
	}
	const { server, service } = await startDevHost(repository, program);
	explainHost(server, service, program.folder);
	print(`
  The credential "Local outreach service" is ready to use. Save a file below nodes/ or credentials/, and n8n
  reloads the package; an open editor shows the change.
`);
	await program.untilStopped();
});
