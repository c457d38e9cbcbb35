/**
 * How wide a character is on n8n's canvas, in pixels: the labels of outputs are set in InterVariable 400 at 12 px (n8n
 * 2.40). Measured in Chromium with the font that n8n ships. Kerning makes a text up to a pixel narrower than the sum.
 */
// prettier-ignore
const WIDTHS: Readonly<Record<string, number>> = {
	' ': 3.38, '-': 5.52, '.': 3.46, ',': 3.46, ':': 3.46, '(': 4.38, ')': 4.38,
	0: 7.57, 1: 4.88, 2: 7.32, 3: 7.42, 4: 7.76, 5: 7.12, 6: 7.45, 7: 7.03, 8: 7.43, 9: 7.45,
	A: 8.46, B: 7.86, C: 8.77, D: 8.66, E: 7.22, F: 7.09, G: 8.96, H: 8.92, I: 3.23, J: 6.85, K: 8.07, L: 6.79, M: 10.84,
	N: 9.05, O: 9.18, P: 7.67, Q: 9.18, R: 7.73, S: 7.7, T: 7.75, U: 8.93, V: 8.46, W: 12.12, X: 8.19, Y: 8.15, Z: 7.55,
	a: 6.74, b: 7.35, c: 6.86, d: 7.35, e: 7.0, f: 3.98, g: 7.36, h: 7.1, i: 2.91, j: 2.91, k: 6.59, l: 2.91, m: 10.52,
	n: 7.09, o: 7.2, p: 7.35, q: 7.35, r: 4.71, s: 6.34, t: 3.93, u: 7.1, v: 6.75, w: 9.82, x: 6.56, y: 6.75, z: 6.63,
};

/** What n8n shows of the label of an output to which nothing is connected, in pixels: it cuts off the rest. */
export const LABEL_WIDTH = 76;

/**
 * The width of a label of an output, in pixels.
 * @throws for a character that has not been measured
 */
export function widthOnCanvas(text: string): number {
	let width = 0;
	for (const character of text) {
		const one = WIDTHS[character];
		if (one === undefined) throw new Error(`'${character}' has not been measured`);
		width += one;
	}
	return width;
}
