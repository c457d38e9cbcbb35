/**
 * Returns true for a share (0 to 1) of the calls, spread evenly: with 0.25, for every fourth one. Random selection would
 * make tests that rely on the share flaky.
 */
export function evenShare(): (share: number) => boolean {
	let calls = 0;
	return (share) => {
		const before = Math.floor(calls * share + 1e-9);
		calls += 1;
		return Math.floor(calls * share + 1e-9) > before;
	};
}
