import { availableParallelism, cpus } from 'node:os';
import { benchService, type BenchResult } from './service';

/** Each part of the bench; they run one after the other, so that none disturbs another. */
const parts: (() => Promise<BenchResult[]>)[] = [benchService];

function print({ name, perSecond, wanted, details }: BenchResult): void {
	const verdict = perSecond >= wanted ? 'ok' : 'TOO SLOW';
	console.log(`${name}: ${perSecond} a second (wanted: ${wanted}) ${verdict}`);
	const figures = Object.entries(details).map(([figure, value]) => `${figure} ${value}`);
	console.log(`  ${figures.join(', ')}`);
}

async function main(): Promise<void> {
	const model = cpus()[0]?.model ?? 'unknown processor';
	console.log(`Node ${process.version}, ${availableParallelism()} × ${model}`);
	for (const part of parts) {
		for (const result of await part()) {
			print(result);
			if (result.perSecond < result.wanted) process.exitCode = 1;
		}
	}
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
