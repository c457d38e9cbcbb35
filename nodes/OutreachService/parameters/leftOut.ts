/** What an expression leaves in a text in place of a value that is missing. */

/** What JavaScript writes for a missing value. */
const LEFT = /(^|[^a-z\d])(undefined|null|NaN|\[object Object\])$/i;

/**
 * Whether the end of a text was left out: an expression such as `'cam_' + $json.id` makes `cam_undefined` of it when the value
 * is missing.
 */
export const isLeftOut = (text: string): boolean => LEFT.test(text.trim());
