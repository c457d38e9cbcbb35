import type { Locator, Page } from 'playwright-core';

/** Page object for n8n's editor. */
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

	/**
	 * Runs the open node, and waits for the result.
	 *
	 * @throws if it is not the expected one: a picture would show it
	 */
	async runNode(expected: 'success' | 'error' = 'success'): Promise<void> {
		await this.byTestId('node-execute-button').click();
		const error = this.byTestId('node-error-message').or(
			this.page.getByText(/Problem in node|cannot start/),
		);
		const success = this.page
			.locator('[data-test-id="ndv-data-container"] table')
			.or(this.page.getByText('executed successfully'));
		await error.or(success).first().waitFor();
		const outcome = (await error.count()) > 0 ? 'error' : 'success';
		if (outcome !== expected) throw new Error(`The node ended with ${outcome}, not ${expected}`);
		await this.dismissMessages();
	}

	/** Closes the notifications, which cover the output panel. */
	async dismissMessages(): Promise<void> {
		const closers = this.page.locator('.el-notification__closeBtn:visible');
		while ((await closers.count()) > 0) {
			// It may close by itself at the same time.
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

	/** Adds a field to the collection of the open node. */
	async addOption(name: string): Promise<void> {
		await this.byTestId('collection-parameter-add').locator('input').first().click();
		await this.page
			.locator('[data-test-id="collection-parameter-option"]:visible', { hasText: name })
			.first()
			.click();
	}

	/** Opens the nodes panel in a new workflow, and searches it. */
	async search(text: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.byTestId('canvas-add-button').first().click();
		await this.byTestId('node-creator-search-bar').first().fill(text);
		await this.page.waitForTimeout(700);
	}

	/** Searches the nodes panel for a further step of the open workflow. */
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

	/** The tooltip of a field of the open node. */
	async helpOf(label: string): Promise<string | undefined> {
		// Required fields have an asterisk.
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

	/** An entry of the nodes panel. */
	item(text: string): Locator {
		return this.byTestId('item-iterator-item').filter({ hasText: text }).first();
	}
}
