const REAL_TIME =
	/realTime|hostileBodies|trigger\/(duplicates|outage|conservation)|delivery\/outcome/;

/** Whether a test file depends on real connections, large responses or the garbage collector, which take real time. */
export const needsRealTime = (testPath: string): boolean => REAL_TIME.test(testPath);
