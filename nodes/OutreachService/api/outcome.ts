/** Header names in lower case, as Node delivers them. */
export type Headers = Readonly<Record<string, unknown>>;

/** The service, or whatever else is at that URL, responded. */
export type Responded = {
	kind: 'response';
	status: number;
	/** The body, or the beginning of one that is too long. */
	text: string;
	/** Whether the body is longer than what is read of it (D68). */
	isCut?: boolean;
	/** What an error may show of the body: nothing confidential. */
	quote?: string;
	headers: Headers;
	/** Whether an earlier attempt failed in a way that it may have done the work all the same. */
	repeated: boolean;
};

/** There was no response. The code is that of the connection, such as `ECONNREFUSED`. */
export type Unreachable = { kind: 'unreachable'; code: string };

/** A request that changes something failed, and the service may have carried it out all the same (D17). */
export type Uncertain = { kind: 'uncertain'; cause: Responded | Unreachable };

/** The execution was stopped, or the workflow deactivated. It says nothing about the service. */
export type Cancelled = {
	kind: 'cancelled';
	/** Whether the service may have carried the request out all the same. */
	mayHaveWorked: boolean;
};

/** Nothing was sent: other requests with this API key used up the rate limit for as long as this one could wait. */
export type Busy = { kind: 'busy' };

/** What a request ended in, after all its attempts. The caller decides whether a response is usable. */
export type Outcome = Responded | Unreachable | Uncertain | Cancelled | Busy;

/** What one attempt ended in. */
export type Attempt = Responded | Unreachable;

export const isSuccess = ({ status }: { status: number }): boolean => status >= 200 && status < 300;

/** Nothing was sent, because no connection was made. */
export const isNotConnected = (code: string): boolean =>
	['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'].includes(code);

/** No response arrived in time: the service may still be at work on the request. */
export const isTimeout = (code: string): boolean => ['ETIMEDOUT', 'ECONNABORTED'].includes(code);

/** The certificate is not valid for the host, or it does not speak TLS: waiting does not help. */
export const isNotTrusted = (code: string): boolean =>
	/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|EPROTO/.test(code);
