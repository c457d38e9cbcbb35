import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { watch } from 'gulp';
import ts from 'typescript';

/** What ships besides package.json: the folders that hold its sources. */
const FOLDERS = ['nodes', 'credentials'];

/** Of these, what is copied and not compiled. */
const ASSETS = ['.json', '.svg', '.png'];

/** A build of the package: what changed in it, or why there is none. */
export interface Build {
	/** Files that were written because they are new or different, relative to the package. */
	written: string[];
	/** What the compiler reports; with an error in it, nothing is written. */
	errors: string[];
}

/** Milliseconds to wait for the other files of one save or one `git checkout`. */
const SETTLE_MS = 50;

interface Events {
	build: [Build];
}

/**
 * Builds the package into a folder, and again whenever a source changes. Only files that come out different are
 * written, so that n8n reloads the package when there is something to reload.
 *
 * @param source the folder with package.json, `nodes/` and `credentials/`
 * @param target where n8n finds the package
 */
export class PackageWatch {
	private readonly events = new EventEmitter<Events>();

	private readonly closers: Array<() => void> = [];

	private written: string[] = [];

	private errors: string[] = [];

	constructor(
		private readonly source: string,
		private readonly target: string,
	) {}

	/** Builds once and watches from then on. @returns the first build */
	async start(): Promise<Build> {
		await mkdir(this.target, { recursive: true });
		await cp(join(this.source, 'package.json'), join(this.target, 'package.json'));
		await this.copyAssets();
		const first = new Promise<Build>((resolve) => this.events.once('build', resolve));
		this.compile();
		this.watchAssets();
		return await first;
	}

	/** Calls the listener after each build from now on. */
	onBuild(listener: (build: Build) => void): void {
		this.events.on('build', listener);
	}

	close(): void {
		for (const close of this.closers.splice(0)) close();
	}

	/** TypeScript's own watch mode, which is quick. Unlike `npm run build`, it loads every module when n8n starts. */
	private compile(): void {
		const system: ts.System = {
			...ts.sys,
			writeFile: (path, data, writeByteOrderMark) => {
				if (isSame(path, data)) return;
				this.written.push(relative(this.target, path));
				ts.sys.writeFile(path, data, writeByteOrderMark);
			},
		};
		const options = {
			noEmit: false,
			rootDir: this.source,
			outDir: join(this.target, 'dist'),
			noEmitOnError: true,
		};
		const host = ts.createWatchCompilerHost(
			join(this.source, 'tsconfig.build.json'),
			options,
			system,
			ts.createEmitAndSemanticDiagnosticsBuilderProgram,
			(diagnostic) => this.errors.push(this.format(diagnostic)),
			(_status, _newLine, _options, errorCount) => {
				// Without a count it tells that it begins.
				if (errorCount !== undefined) this.report();
			},
		);
		const program = ts.createWatchProgram(host);
		this.closers.push(() => {
			program.close();
		});
	}

	/** What TypeScript leaves behind: icons, codex files and schemas. */
	private async copyAssets(): Promise<void> {
		for (const folder of FOLDERS) {
			const names = await readdir(join(this.source, folder), { recursive: true });
			for (const name of names)
				if (ASSETS.includes(extname(name))) await this.copyAsset(join(folder, name));
		}
	}

	private async copyAsset(name: string): Promise<void> {
		const target = join('dist', name);
		const data = await readFile(join(this.source, name));
		if (isSame(join(this.target, target), data)) return;
		await cp(join(this.source, name), join(this.target, target));
		this.written.push(target);
	}

	private watchAssets(): void {
		const globs = FOLDERS.flatMap((folder) =>
			ASSETS.map((extension) => `${folder}/**/*${extension}`),
		);
		const watcher = watch(globs, { cwd: this.source, delay: SETTLE_MS }, async () => {
			// A file may be gone again, such as an editor's temporary one.
			await this.copyAssets().catch((error: unknown) => this.errors.push(String(error)));
			this.report();
		});
		this.closers.push(() => {
			watcher.close();
		});
	}

	private report(): void {
		const build: Build = { written: this.written, errors: this.errors };
		this.written = [];
		this.errors = [];
		this.events.emit('build', build);
	}

	private format(diagnostic: ts.Diagnostic): string {
		return ts
			.formatDiagnostic(diagnostic, {
				getCurrentDirectory: () => this.source,
				getCanonicalFileName: (name) => name,
				getNewLine: () => '\n',
			})
			.trimEnd();
	}
}

function isSame(path: string, data: string | Buffer): boolean {
	try {
		return readFileSync(path).equals(Buffer.from(data));
	} catch {
		// Not there yet.
		return false;
	}
}
