import { EventEmitter } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { z } from 'zod';

type Call = Required<Pick<IWorkflowExecuteAdditionalData, 'httpRequest' | 'httpResponse'>>;

/** What the node looks at and does with a response, and what tells it that the sender has its answer. */
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

/** A delivery as n8n's web server hands it on: its JSON parsed, nothing left to read. */
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
