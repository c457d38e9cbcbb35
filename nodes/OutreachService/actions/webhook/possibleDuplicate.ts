/** Noted in the item of a webhook after an earlier create without a response: the service may carry that out, too. */
export const POSSIBLE_DUPLICATE =
	"An earlier attempt at creating this webhook got no response: check with the operation 'Get Many' whether there is a second one, and delete it.";
