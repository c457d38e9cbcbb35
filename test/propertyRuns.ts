/**
 * How often a property is tried, unless it says so itself: less often than fast-check does, because each run of the tests
 * tries other values, and the nightly run tries many.
 */
import fc from 'fast-check';

fc.configureGlobal({ numRuns: Number(process.env.PROPERTY_RUNS ?? 40) });
