'use strict';

/** Loaded into n8n (`--require`): responds with what n8n and the package keep in memory after a garbage collection. */
const { createServer } = require('node:http');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const MB = 1024 * 1024;
const { PROBE_PORT, PROBE_RUNTIME } = process.env;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

// n8n's task runner does not get these settings.
if (PROBE_PORT !== undefined) {
	createServer((_request, response) => {
		collectGarbage();
		const { heapUsed, rss } = process.memoryUsage();
		// The module that n8n has loaded.
		const entries = require(PROBE_RUNTIME).processRuntime.stats();
		response.end(JSON.stringify({ entries, heapMb: heapUsed / MB, rssMb: rss / MB }));
	})
		.listen(Number(PROBE_PORT), '127.0.0.1')
		.unref();
}
