/** The error texts for a people schema that cannot be read. */
import type { ErrorText } from '../../api/errors';

const SEE_RAW = "Use the operation Get with the output 'Raw' to see what the service sends.";

/** For a schema that would take too long to read, or too much memory. */
export const TOO_LARGE: ErrorText = {
	message: 'The people schema is too large',
	description: `It has more than 100 levels, or more than 2 million characters once each $ref is replaced by what it refers to. ${SEE_RAW}`,
};

/** For a response that is no people schema. */
export const UNKNOWN_FORMAT: ErrorText = {
	message: 'The people schema has an unknown format',
	description: `The service describes its fields in a way that this node cannot read. ${SEE_RAW}`,
};
