import type { AssignmentChange, AssignmentDelta, SyncRequest } from '../../shared/contracts/assignment.ts';
import { travelling, type AssignmentDoc } from './assignment-doc.ts';
import type { HeadStore } from './head-store.ts';
import type { AssignmentStore } from './store.ts';

const PAGE_ITEMS = 500;
/** Of JSON; sealed and in base64 it grows by a third and stays below 512 kB. */
export const PAGE_BYTES = 380_000;

/** How far a paged answer is. */
interface Place {
  kind: 'reset' | 'pending' | 'newer';
  /** The revision that the last page will state: its value before the first read. */
  head: number;
  /** Only `newer` items are in order of their revision. */
  rev: number;
  monitorId: string;
}

/**
 * One page of all that changed since `request.revision`; or of the whole set, for a new holder, one that is
 * ahead of us (our database was restored) or one behind the removed tombstones. Pending items are read before
 * newer ones: an item settled in between is then read twice rather than never.
 */
export async function answerSync(
  stores: { items: AssignmentStore; heads: HeadStore },
  probeId: string,
  request: SyncRequest,
): Promise<AssignmentDelta> {
  const place = readPlace(request.after) ?? (await startPlace(stores.heads, probeId, request.revision));
  const page = cut(await itemsFrom(stores.items, probeId, place), place);
  const base = { from: request.revision, revision: place.head, reset: place.kind === 'reset' };
  if (place.kind !== 'pending' || page.more) return { ...base, ...page };
  const next: Place = { ...place, kind: 'newer', rev: request.revision + 1, monitorId: '' };
  if (page.changes.length > 0) return { ...base, changes: page.changes, more: writePlace(next) };
  // Nearly always nothing is pending, and the answer is complete with one page.
  return { ...base, ...cut(await itemsFrom(stores.items, probeId, next), next) };
}

function itemsFrom(items: AssignmentStore, probeId: string, place: Place): Promise<AssignmentDoc[]> {
  if (place.kind === 'newer') return items.newer(probeId, place, PAGE_ITEMS + 1);
  if (place.kind === 'pending') return items.pendingOf(probeId, place.monitorId, PAGE_ITEMS + 1);
  return items.activeOf(probeId, place.monitorId, PAGE_ITEMS + 1);
}

async function startPlace(heads: HeadStore, probeId: string, revision: number): Promise<Place> {
  const { head, horizon } = await heads.find(probeId);
  const isWhole = revision === 0 || revision > head || revision < horizon;
  return { kind: isWhole ? 'reset' : 'pending', head, rev: 0, monitorId: '' };
}

/** As many items as a page may hold; `more` names the place of the next page, null when this is all. */
function cut(items: AssignmentDoc[], place: Place): { changes: AssignmentChange[]; more: string | null } {
  const changes: AssignmentChange[] = [];
  let bytes = 0;
  let last: AssignmentDoc | null = null;
  for (const item of items) {
    const change = travelling(item);
    bytes += Buffer.byteLength(JSON.stringify(change));
    if (last && (changes.length >= PAGE_ITEMS || bytes > PAGE_BYTES)) {
      return { changes, more: writePlace({ ...place, rev: last.rev, monitorId: last.monitor_id }) };
    }
    changes.push(change);
    last = item;
  }
  return { changes, more: null };
}

function writePlace({ kind, head, rev, monitorId }: Place): string {
  return kind === 'newer' ? `newer:${head}:${rev}:${monitorId}` : `${kind}:${head}:${monitorId}`;
}

/** Null for anything that `writePlace` did not write: the answer then starts over. */
function readPlace(after: string | null): Place | null {
  const match = /^(reset|pending|newer):(\d{1,15}):(?:(\d{1,15}):)?([0-9a-zA-Z-]{0,64})$/.exec(after ?? '');
  if (!match) return null;
  const [, kind, head, rev = 0, monitorId = ''] = match;
  return { kind: kind as Place['kind'], head: Number(head), rev: Number(rev), monitorId };
}
