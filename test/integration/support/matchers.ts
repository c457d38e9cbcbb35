/** Jest's matchers, with a type that strict rules accept inside an object. */
export const like = (part: object): unknown => expect.objectContaining(part);
export const textLike = (pattern: RegExp): unknown => expect.stringMatching(pattern);
