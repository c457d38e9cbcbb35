/** Noted in the item of a webhook whose first create got no response in time: the service may still carry it out. */
export const POSSIBLE_DUPLICATE =
	"An earlier attempt at creating this webhook got no response: check with the operation 'Get Many' whether there is a second one, and delete it.";
