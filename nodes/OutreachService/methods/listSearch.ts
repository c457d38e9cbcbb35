import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { ALL_EVENTS, EVENT_OPTIONS_WITH_ALL } from '../model/eventTypes';
import { settingsOf, type Hook } from '../model/schemas';
import { timeOf } from '../model/time';
import { listWebhooks } from '../api/webhooks';

const HOUR_MS = 60 * 60 * 1000;

function age(createdAt: string | undefined, now: number): string | undefined {
	const created = timeOf(createdAt);
	if (created === undefined) return undefined;
	const hours = Math.floor((now - created) / HOUR_MS);
	if (hours < 1) return 'new';
	if (hours < 48) return `${hours} h old`;
	return `${Math.floor(hours / 24)} days old`;
}

/** n8n cuts off a line at some fifty characters: an address must leave room for what comes after it. */
const LONGEST_ADDRESS = 26;

const shorten = (address: string): string =>
	address.length > LONGEST_ADDRESS ? `${address.slice(0, LONGEST_ADDRESS - 1)}…` : address;

/** A webhook in a line: what it is for and where it calls, then campaign and age. */
function describe(hook: Hook, now: number): string {
	const { type = ALL_EVENTS, campaignId, createdAt } = settingsOf(hook);
	const event = EVENT_OPTIONS_WITH_ALL.find(({ value }) => value === type)?.name ?? type;
	const address = shorten(hook.targetUrl.replace(/^https?:\/\//, ''));
	return [event, address, campaignId, age(createdAt, now)]
		.filter((part) => typeof part === 'string' && part !== '')
		.join(' · ');
}

/** The list of webhooks for the resource locator (§4.1), searched by event, address, campaign and ID. */
export async function searchWebhooks(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const now = Date.now();
	const wanted = filter?.trim().toLowerCase() ?? '';
	const results = (await listWebhooks(this))
		.map((hook) => ({ name: describe(hook, now), value: hook._id, address: hook.targetUrl }))
		.filter((one) => Object.values(one).join(' ').toLowerCase().includes(wanted))
		.map(({ name, value }) => ({ name, value }))
		.sort((a, b) => a.name.localeCompare(b.name, 'en'));
	return { results };
}
