import type { AssignmentChange, AssignmentDelta, SyncRequest } from '../../shared/contracts/assignment.ts';
import type { AssignmentDoc } from './assignment-doc.ts';
import type { HeadStore } from './head-store.ts';
import type { AssignmentStore } from './store.ts';
import { itemChange } from './writer.ts';

const PAGE_ITEMS = 500;
/** Of JSON; sealed and in base64 it grows by a third and stays below 512 kB. */
export const PAGE_BYTES = 380_000;

/** How far a paged answer is. `head` is the revision that the last page will state: what it was before the first read. */
type Place =
  | { kind: 'reset'; head: number; monitorId: string }
  | { kind: 'pending'; head: number; monitorId: string }
  | { kind: 'newer'; head: number; rev: number; monitorId: string };

/**
 * One page of all that changed since `request.revision`, or of the whole set: for a new holder, one that is ahead of us
 * (our database was restored) or behind the forgotten tombstones. What is pending is read before what is newer: what
 * gets settled in between is then read twice rather than never.
 */
export async function answerSync(
  stores: { items: AssignmentStore; heads: HeadStore },
  probeId: string,
  request: SyncRequest,
): Promise<AssignmentDelta> {
  const place = readPlace(request.after) ?? (await startPlace(stores.heads, probeId, request.revision));
  const base = { from: request.revision, revision: place.head, reset: place.kind === 'reset' };
  if (place.kind === 'reset') {
    const page = cut(await stores.items.activeOf(probeId, place.monitorId, PAGE_ITEMS + 1));
    return { ...base, changes: page.changes, more: page.last ? writePlace({ ...place, monitorId: page.last.monitor_id }) : null };
  }
  if (place.kind === 'pending') {
    const page = cut(await stores.items.pendingOf(probeId, place.monitorId, PAGE_ITEMS + 1));
    if (page.last) return { ...base, changes: page.changes, more: writePlace({ ...place, monitorId: page.last.monitor_id }) };
    const next: Place = { kind: 'newer', head: place.head, rev: request.revision + 1, monitorId: '' };
    // Nearly always nothing is pending, and the answer is complete with one page.
    if (page.changes.length > 0) return { ...base, changes: page.changes, more: writePlace(next) };
    return { ...base, ...(await newerPage(stores.items, probeId, next)) };
  }
  return { ...base, ...(await newerPage(stores.items, probeId, place)) };
}

async function newerPage(items: AssignmentStore, probeId: string, place: Extract<Place, { kind: 'newer' }>) {
  const page = cut(await items.newer(probeId, place, PAGE_ITEMS + 1));
  const { last } = page;
  return { changes: page.changes, more: last ? writePlace({ ...place, rev: last.rev, monitorId: last.monitor_id }) : null };
}

async function startPlace(heads: HeadStore, probeId: string, revision: number): Promise<Place> {
  const { head, horizon } = await heads.find(probeId);
  const isWhole = revision === 0 || revision > head || revision < horizon;
  return { kind: isWhole ? 'reset' : 'pending', head, monitorId: '' };
}

/** As much as a page may hold; `last` is where the next page goes on, null when this is all. */
function cut(items: AssignmentDoc[]): { changes: AssignmentChange[]; last: AssignmentDoc | null } {
  const changes: AssignmentChange[] = [];
  let bytes = 0;
  let last: AssignmentDoc | null = null;
  for (const item of items) {
    const change = itemChange(item);
    bytes += Buffer.byteLength(JSON.stringify(change));
    if (last && (changes.length >= PAGE_ITEMS || bytes > PAGE_BYTES)) return { changes, last };
    changes.push(change);
    last = item;
  }
  return { changes, last: null };
}

function writePlace(place: Place): string {
  return place.kind === 'newer'
    ? `newer:${place.head}:${place.rev}:${place.monitorId}`
    : `${place.kind}:${place.head}:${place.monitorId}`;
}

/** Null for anything that `writePlace` did not write: the answer then starts over. */
function readPlace(after: string | null): Place | null {
  const match = /^(?:(reset|pending):(\d{1,15})|newer:(\d{1,15}):(\d{1,15})):([0-9a-zA-Z-]{0,64})$/.exec(after ?? '');
  if (!match) return null;
  const monitorId = match[5] ?? '';
  if (match[1]) return { kind: match[1] as 'reset' | 'pending', head: Number(match[2]), monitorId };
  return { kind: 'newer', head: Number(match[3]), rev: Number(match[4]), monitorId };
}
