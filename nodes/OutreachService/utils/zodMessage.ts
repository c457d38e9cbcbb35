/** An error message that zod 3 and zod 4 give alike: the package gets whichever lies beside it (D117). */
import type { z } from 'zod';

/** The parameter of a schema whose issues have a message that depends on the value. @param messageOf gets the value */
export const zodMessage = (messageOf: (value: unknown) => string) => ({
	// For zod 3.
	errorMap: ((_issue, { data }) => ({ message: messageOf(data) })) satisfies z.ZodErrorMap,
	// For zod 4.
	error: ({ input }: { input?: unknown }) => messageOf(input),
});
