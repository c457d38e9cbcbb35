/**
 * A host that does not exist. Its first label is longer than DNS allows (63 characters), so the resolver rejects it
 * without asking a server: while a slow one is asked, the fast clock of the tests gives the request up.
 */
export const UNKNOWN_HOST = `${'unknown'.repeat(10)}.invalid`;
