/** Strips the types of one file, as the build does; type errors are for `npm run lint`. */
module.exports = {
	process(sourceText, sourcePath) {
		// Not at the top: jest keeps the results, so most runs strip nothing, and each process would load it for nothing.
		const ts = require('typescript');
		const { outputText } = ts.transpileModule(sourceText, {
			fileName: sourcePath,
			compilerOptions: {
				target: ts.ScriptTarget.ES2022,
				module: ts.ModuleKind.CommonJS,
				esModuleInterop: true,
				inlineSourceMap: true,
				inlineSources: true,
			},
		});
		return { code: outputText };
	},
};
