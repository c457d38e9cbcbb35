/** `tsx tools/host/install/main.ts [n8n-2|n8n-1|n8n-newest]`: installs a pinned n8n ahead of time and prints its folder. */
import { z } from 'zod';
import { installN8n, N8N_NAMES } from '.';

const name = z.enum(N8N_NAMES).default('n8n-2').parse(process.argv[2]);

void installN8n(name).then(({ folder }) => {
	process.stdout.write(`${folder}\n`);
});
