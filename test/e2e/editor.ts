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
}
