/** From where a host can be reached: only from its own machine, only from its own network, or from anywhere. */
export type Reach = 'machine' | 'network' | 'anywhere';

type Octets = readonly [number, number, number, number];

function octetsOf(host: string): Octets | undefined {
	const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host);
	if (!match) return undefined;
	return [Number(match[1]), Number(match[2]), Number(match[3]), Number(match[4])];
}

function reachOfIpv4([first, second]: Octets): Reach {
	if (first === 127 || first === 0) return 'machine';
	const isPrivate =
		first === 10 ||
		(first === 172 && second >= 16 && second <= 31) ||
		(first === 192 && second === 168) ||
		// Link-local, and the range of carriers and virtual private networks (RFC 3927, RFC 6598).
		(first === 169 && second === 254) ||
		(first === 100 && second >= 64 && second <= 127);
	return isPrivate ? 'network' : 'anywhere';
}

/** The IPv4 address in one such as `::ffff:7f00:1`, which URL writes so. */
function mappedIpv4(address: string): Octets | undefined {
	const match = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address);
	if (!match) return undefined;
	const [high, low] = [parseInt(match[1] ?? '', 16), parseInt(match[2] ?? '', 16)];
	return [high >> 8, high & 255, low >> 8, low & 255];
}

function reachOfIpv6(address: string): Reach {
	if (address === '::1' || address === '::') return 'machine';
	const mapped = mappedIpv4(address);
	if (mapped) return reachOfIpv4(mapped);
	// Unique local and link-local addresses (RFC 4193, RFC 4291).
	return /^(f[cd]|fe[89ab])/.test(address) ? 'network' : 'anywhere';
}

/** Names that no public name server resolves. */
const LOCAL_SUFFIX = /\.(local|internal|lan|home\.arpa)$/;

/**
 * From where the host of a URL can be reached, as far as its name or address tells (D33). No name is resolved: what n8n
 * sees says little about what the service sees.
 * @returns undefined for what is not a URL
 */
export function reachOf(url: string): Reach | undefined {
	if (!URL.canParse(url)) return undefined;
	// URL writes every notation of an address in one way: 127.1 as 127.0.0.1.
	const host = new URL(url).hostname.replace(/\.$/, '').toLowerCase();
	if (host.startsWith('[')) return reachOfIpv6(host.slice(1, -1));
	const octets = octetsOf(host);
	if (octets) return reachOfIpv4(octets);
	if (host === 'localhost' || host.endsWith('.localhost')) return 'machine';
	return host.includes('.') && !LOCAL_SUFFIX.test(host) ? 'anywhere' : 'network';
}
