/**
 * Says yes to a share (0 to 1) of the calls, spread evenly and the same in every run: with 0.25 it is each fourth one.
 * Chance would make a test that asks for a share fail now and then.
 */
export function evenShare(share: number): () => boolean {
	let calls = 0;
	return () => {
		const before = Math.floor(calls * share + 1e-9);
		calls += 1;
		return Math.floor(calls * share + 1e-9) > before;
	};
}
