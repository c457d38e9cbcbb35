/** Of every PostgreSQL that the tools start: each has a port of its own on the loopback interface. */
export const POSTGRES_LOGIN = { user: 'n8n', password: 'n8n', database: 'n8n' };
