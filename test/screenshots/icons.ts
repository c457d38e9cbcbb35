import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { take } from './browser';

const FOLDER = resolve(__dirname, '../../nodes/OutreachService');
const SIZES = [16, 24, 32, 64];

/** The icons as small as n8n shows them, on its light and its dark ground. */
export async function pictureIcons(page: Page): Promise<void> {
	const row = async (file: string, ground: string) => {
		const source = (await readFile(join(FOLDER, file))).toString('base64');
		const images = SIZES.map(
			(size) => `<img src="data:image/svg+xml;base64,${source}" width="${size}" height="${size}">`,
		);
		return `<p style="background:${ground}">${images.join('')}</p>`;
	};
	const rows = [
		await row('outreachService.svg', '#ffffff'),
		await row('outreachService.dark.svg', '#2d2e2e'),
	];
	const style = 'body{margin:0}p{margin:0;padding:24px;display:flex;gap:24px;align-items:center}';
	await page.setViewportSize({ width: 280, height: 224 });
	await page.setContent(`<style>${style}</style>${rows.join('')}`);
	await take(page, 'icons');
}
