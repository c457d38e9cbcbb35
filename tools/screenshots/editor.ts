import type { Locator, Page } from 'playwright-core';

/** What a person does in n8n's editor. */
export class Editor {
	constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	byTestId(id: string): Locator {
		return this.page.locator(`[data-test-id="${id}"]`);
	}

	async open(workflowId: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`);
		await this.byTestId('canvas-node').first().waitFor();
		await this.page.waitForTimeout(1_000);
		await this.fitCanvas();
	}

	async fitCanvas(): Promise<void> {
		await this.byTestId('zoom-to-fit').click();
		await this.page.waitForTimeout(800);
	}

	async openNode(name: string): Promise<void> {
		await this.page
			.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`)
			.first()
			.dblclick();
		await this.byTestId('ndv').waitFor();
	}

	async closeNode(): Promise<void> {
		await this.byTestId('ndv-close-button').click();
		await this.byTestId('ndv').waitFor({ state: 'hidden' });
	}

	/** Runs the node that is open, until n8n says how that went. */
	async runNode(): Promise<void> {
		await this.byTestId('node-execute-button').click();
		await this.page
			.locator('[data-test-id="node-error-message"], [data-test-id="ndv-data-container"] table')
			.or(this.page.getByText(/executed successfully|Problem in node|cannot start/))
			.first()
			.waitFor();
		await this.dismissMessages();
	}

	/** The messages in the corner lie over the output panel. */
	async dismissMessages(): Promise<void> {
		const closers = this.page.locator('.el-notification__closeBtn:visible');
		while ((await closers.count()) > 0) {
			// It may go by itself at the same moment.
			await closers
				.first()
				.click({ timeout: 1_000 })
				.catch(() => undefined);
			await this.page.waitForTimeout(400);
		}
	}

	async showOutputAs(display: 'Table' | 'JSON' | 'Schema'): Promise<void> {
		const id = `radio-button-${display.toLowerCase()}`;
		await this.byTestId('output-panel').locator(`[data-test-id="${id}"]`).click();
	}

	/** Adds one of the fields of the collection of the open node. */
	async addOption(name: string): Promise<void> {
		await this.byTestId('collection-parameter-add').locator('input').first().click();
		await this.page
			.locator('[data-test-id="collection-parameter-option"]:visible', { hasText: name })
			.first()
			.click();
	}

	/** Opens the panel of nodes on a new workflow and searches it. */
	async search(text: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.byTestId('canvas-add-button').first().click();
		await this.byTestId('node-creator-search-bar').first().fill(text);
		await this.page.waitForTimeout(700);
	}

	/** Searches the panel of nodes for another step of the workflow that is open. */
	async searchNext(text: string): Promise<void> {
		if (await this.byTestId('node-creator').isVisible()) await this.page.keyboard.press('Escape');
		await this.byTestId('node-creator-plus-button').click();
		await this.byTestId('node-creator-search-bar').first().fill(text);
		await this.page.waitForTimeout(700);
	}

	/** The names of the nodes on the canvas, sorted. */
	async nodeNames(): Promise<string[]> {
		const nodes = await this.byTestId('canvas-node').all();
		const names = await Promise.all(nodes.map((node) => node.getAttribute('data-node-name')));
		return names.map(String).sort();
	}

	/** The text behind the question mark of a field of the open node; undefined when it has none. */
	async helpOf(label: string): Promise<string | undefined> {
		// A required one has an asterisk.
		const name = new RegExp(`^\\s*${label.replace(/[()]/g, '\\$&')}\\s*\\*?\\s*$`);
		const title = this.page.getByText(name);
		const field = this.byTestId('ndv').locator('label').filter({ has: title }).first();
		await field.scrollIntoViewIfNeeded();
		await field.hover();
		await field.locator('[data-icon="circle-help"]').hover();
		const help = this.byTestId('tooltip-content').last();
		await help.waitFor();
		const text = await help.innerText();
		await this.page.mouse.move(0, 0);
		await help.waitFor({ state: 'hidden' });
		return text.trim();
	}

	/** What the panel of nodes lists. */
	item(text: string): Locator {
		return this.byTestId('item-iterator-item').filter({ hasText: text }).first();
	}
}
