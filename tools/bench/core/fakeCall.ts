import { EventEmitter } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { z } from 'zod';

type Call = Required<Pick<IWorkflowExecuteAdditionalData, 'httpRequest' | 'httpResponse'>>;

/** The part of a response that the node uses. Emits `finish` when the response has been sent. */
export class FakeResponse extends EventEmitter {
	statusCode = 200;

	writableEnded = false;

	status(code: number): this {
		this.statusCode = code;
		return this;
	}

	end(): void {
		this.writableEnded = true;
		this.emit('finish');
	}
}

const requestSchema = z.custom<Call['httpRequest']>((value) => value instanceof IncomingMessage);
const responseSchema = z.custom<Call['httpResponse']>((value) => value instanceof FakeResponse);

/** A delivery as n8n's web server passes it to the node: with the JSON parsed and the body read. */
export function fakeCall(body: string): { call: Call; response: FakeResponse } {
	const request = new IncomingMessage(new Socket());
	request.headers['content-type'] = 'application/json';
	request.method = 'POST';
	const parsed = { body: JSON.parse(body) as unknown, query: { event: '*' }, params: {} };
	const response = new FakeResponse();
	const call = {
		httpRequest: requestSchema.parse(Object.assign(request, parsed)),
		httpResponse: responseSchema.parse(response),
	};
	return { call, response };
}
