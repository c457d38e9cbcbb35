import fc from 'fast-check';
import { evenShare, makeId, Ring, seededPick } from '../../tools/service/support';

it('a ring keeps the newest entries in order', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 20 }),
			fc.integer({ min: 0, max: 100 }),
			(size, count) => {
				const ring = new Ring<number>(size);
				const all = Array.from({ length: count }, (_, n) => n);
				for (const n of all) ring.push(n);
				expect(ring.newest()).toEqual(all.slice(-size));
				expect(ring.newest(3)).toEqual(all.slice(-Math.min(3, size)));
			},
		),
	);
});

it('an even share is exact to one call, over any number of calls', () => {
	fc.assert(
		fc.property(
			fc.double({ min: 0, max: 1, noNaN: true }),
			fc.integer({ min: 1, max: 500 }),
			(share, calls) => {
				const isIn = evenShare();
				const hits = Array.from({ length: calls }, () => isIn(share)).filter(Boolean).length;
				expect(Math.abs(hits - share * calls)).toBeLessThanOrEqual(1);
			},
		),
	);
	const isIn = evenShare();
	expect([1, 1, 0, 0, 1].map((share) => isIn(share))).toEqual([true, true, false, false, true]);
});

it('seeded numbers depend on the seed alone, and cover the whole range', () => {
	const draw = (seed: number) => {
		const pick = seededPick(seed);
		return Array.from({ length: 300 }, () => pick(7));
	};
	expect(draw(1)).toEqual(draw(1));
	expect(draw(1)).not.toEqual(draw(2));
	expect([...new Set(draw(1))].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

it('identifiers are unique, with a prefix and 17 letters and digits', () => {
	const ids = Array.from({ length: 1000 }, () => makeId('hoo_'));
	expect(ids.every((id) => /^hoo_[A-Za-z0-9]{17}$/.test(id))).toBe(true);
	expect(new Set(ids).size).toBe(1000);
});
