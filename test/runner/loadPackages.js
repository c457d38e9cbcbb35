// Before the clock of a test file runs fast: packages stay for the files after it, and so do timers that they keep.
require('n8n-core');
require('fastify');
