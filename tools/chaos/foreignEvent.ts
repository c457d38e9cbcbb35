/** In the query of a webhook that another client creates at a trigger's URL: not a type, so no trigger selects it. */
export const EVENT_OF_ANOTHER_CLIENT = 'ofAnotherClient';
