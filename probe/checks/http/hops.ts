import type { HttpSpec } from '../../../shared/contracts/check-spec.ts';
import { shortened } from '../check.ts';

/** Statuses with a Location to follow. */
export const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers forwarded to another origin: none carries credentials. */
const FORWARDED_HEADERS = new Set([
  'accept', 'accept-charset', 'accept-encoding', 'accept-language', 'cache-control', 'dnt', 'pragma',
  'user-agent',
]);
/** Headers that describe a body. */
const BODY_HEADERS = new Set(['content-encoding', 'content-language', 'content-location', 'content-type']);
const MAX_NAMED = 6;
const MAX_NAME_LENGTH = 70;

/** One request of a check. */
export interface Hop {
  url: URL;
  method: HttpSpec['method'];
  headers: HttpSpec['headers'];
  body: string | null;
}

/**
 * The request after a redirect. As in browsers, 303 turns all but HEAD into GET, 301 and 302 turn POST into
 * GET, 307 and 308 keep the method. A different origin gets neither the body nor headers that may hold
 * credentials. Redirecting back doesn't restore them: the other origin chose the URL.
 */
export function nextHop(hop: Hop, status: number, url: URL): Hop {
  const becomesGet = hop.method !== 'HEAD' &&
    (status === 303 || (status < 303 && hop.method === 'POST'));
  const isCrossOrigin = url.origin !== hop.url.origin;
  const body = becomesGet || isCrossOrigin ? null : hop.body;
  const isDropped = (name: string): boolean =>
    (isCrossOrigin && !FORWARDED_HEADERS.has(name))
    || (hop.body !== null && body === null && BODY_HEADERS.has(name));
  const headers = Object.fromEntries(
    Object.entries(hop.headers).filter(([name]) => !isDropped(name.toLowerCase())),
  );
  return { url, method: becomesGet ? 'GET' : hop.method, headers, body };
}

/** Reports more than `max` redirects, and whether they form a loop. */
export function tooManyRedirects(visited: readonly URL[], next: URL, max: number): string {
  const sentence = `More than ${max} redirect${max === 1 ? '' : 's'}`;
  const from = visited.findLastIndex((url) => url.href === next.href);
  if (from < 0) return sentence;
  const loop = [...visited.slice(from), next];
  const isSameOrigin = loop.every((url) => url.origin === next.origin);
  const names = loop.map((url) => shortened(addressText(url, isSameOrigin), MAX_NAME_LENGTH));
  if (names.length > MAX_NAMED) names.splice(MAX_NAMED - 1, names.length - MAX_NAMED, '…');
  return `${sentence}, in a loop: ${names.join(' → ')}`;
}

/** Without user name, query and fragment, which may be credentials. */
function addressText({ origin, pathname, search }: URL, isSameOrigin: boolean): string {
  return `${isSameOrigin ? '' : origin}${pathname}${search === '' ? '' : '?…'}`;
}
