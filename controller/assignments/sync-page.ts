import type { AssignmentChange, AssignmentDelta, SyncRequest } from '../../shared/contracts/assignment.ts';
import { toAssignmentChange, type AssignmentDoc } from './assignment-doc.ts';
import type { HeadStore } from './head-store.ts';
import type { AssignmentStore } from './store.ts';

const MAX_PAGE_ITEMS = 500;
/** Limit of JSON. Sealing and base64 add a third, which stays below 512 kB. */
export const MAX_PAGE_BYTES = 380_000;

/** Position in a paged response. */
interface SyncCursor {
  kind: 'reset' | 'pending' | 'newer';
  /** The revision that the last page reports, read before the first page. */
  head: number;
  /** Only `newer` items are ordered by revision. */
  rev: number;
  monitorId: string;
}

/**
 * One page of the changes since `request.revision`, or of the whole set for a probe that is new, ahead of a
 * restored database, or behind removed tombstones. Reads pending items first: an item settled meanwhile then
 * appears twice, not never.
 */
export async function buildSyncPage(
  stores: { items: AssignmentStore; heads: HeadStore },
  probeId: string,
  request: SyncRequest,
): Promise<AssignmentDelta> {
  const cursor = parseCursor(request.after) ?? (await startCursor(stores.heads, probeId, request.revision));
  const page = toPage(await itemsAfter(stores.items, probeId, cursor), cursor);
  const base = { from: request.revision, revision: cursor.head, reset: cursor.kind === 'reset' };
  if (cursor.kind !== 'pending' || page.more) return { ...base, ...page };
  const next: SyncCursor = { ...cursor, kind: 'newer', rev: request.revision + 1, monitorId: '' };
  if (page.changes.length > 0) return { ...base, changes: page.changes, more: formatCursor(next) };
  // Nearly always nothing is pending and one page completes the response.
  return { ...base, ...toPage(await itemsAfter(stores.items, probeId, next), next) };
}

function itemsAfter(items: AssignmentStore, probeId: string, cursor: SyncCursor): Promise<AssignmentDoc[]> {
  if (cursor.kind === 'newer') return items.newer(probeId, cursor, MAX_PAGE_ITEMS + 1);
  if (cursor.kind === 'pending') return items.pendingOf(probeId, cursor.monitorId, MAX_PAGE_ITEMS + 1);
  return items.activeOf(probeId, cursor.monitorId, MAX_PAGE_ITEMS + 1);
}

async function startCursor(heads: HeadStore, probeId: string, revision: number): Promise<SyncCursor> {
  const { head, horizon } = await heads.find(probeId);
  const isFullSet = revision === 0 || revision > head || revision < horizon;
  return { kind: isFullSet ? 'reset' : 'pending', head, rev: 0, monitorId: '' };
}

/** As many items as fit on a page. `more` is the cursor of the next page, null on the last one. */
function toPage(
  items: AssignmentDoc[], cursor: SyncCursor,
): { changes: AssignmentChange[]; more: string | null } {
  const changes: AssignmentChange[] = [];
  let bytes = 0;
  let last: AssignmentDoc | null = null;
  for (const item of items) {
    const change = toAssignmentChange(item);
    bytes += Buffer.byteLength(JSON.stringify(change));
    if (last && (changes.length >= MAX_PAGE_ITEMS || bytes > MAX_PAGE_BYTES)) {
      return { changes, more: formatCursor({ ...cursor, rev: last.rev, monitorId: last.monitor_id }) };
    }
    changes.push(change);
    last = item;
  }
  return { changes, more: null };
}

function formatCursor({ kind, head, rev, monitorId }: SyncCursor): string {
  return kind === 'newer' ? `newer:${head}:${rev}:${monitorId}` : `${kind}:${head}:${monitorId}`;
}

/** Null for any text that is not one of our cursors; the response then starts over. */
function parseCursor(after: string | null): SyncCursor | null {
  const match = /^(reset|pending|newer):(\d{1,15}):(?:(\d{1,15}):)?([0-9a-zA-Z-]{0,64})$/.exec(after ?? '');
  if (!match) return null;
  const [, kind, head, rev = 0, monitorId = ''] = match;
  return { kind: kind as SyncCursor['kind'], head: Number(head), rev: Number(rev), monitorId };
}
