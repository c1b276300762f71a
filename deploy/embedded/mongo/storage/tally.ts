/** lmdb's page and node geometry (mdb.c: PAGEHDRSZ 16, NODESIZE 8; a node larger than half a page overflows). */
const PAGE_BYTES = 4096;
const PAGE_HEADER_BYTES = 16;
const NODE_HEADER_BYTES = 8;
const SLOT_BYTES = 2;
const LARGEST_NODE_BYTES = ((PAGE_BYTES - PAGE_HEADER_BYTES) / 2 - SLOT_BYTES) & ~1;

export interface TallyState {
  count: number;
  /** Sum of the documents' BSON lengths. */
  documentBytes: number;
  /** Bytes that the documents' nodes take in leaf pages. */
  nodeBytes: number;
  /** Whole pages that hold documents too large for a leaf. */
  overflowPages: number;
  /** Bytes that index entries take in leaf pages, by table. */
  indexBytes: Record<string, number>;
}

/** Running sizes of one collection, written with every commit that changes it. */
export class Tally {
  readonly state: TallyState;
  isDirty = false;

  constructor(state: TallyState = { count: 0, documentBytes: 0, nodeBytes: 0, overflowPages: 0, indexBytes: {} }) {
    this.state = state;
  }

  change(before: Buffer | undefined, after: Buffer | undefined, keyBytes: number): void {
    if (before !== undefined) this.add(before.length, keyBytes, -1);
    if (after !== undefined) this.add(after.length, keyBytes, 1);
    this.isDirty = true;
  }

  indexChange(table: number, entryBytes: number, isAdded: boolean): void {
    const bytes = NODE_HEADER_BYTES + SLOT_BYTES + entryBytes;
    const name = String(table);
    this.state.indexBytes[name] = (this.state.indexBytes[name] ?? 0) + (isAdded ? bytes : -bytes);
    this.isDirty = true;
  }

  private add(documentBytes: number, keyBytes: number, sign: 1 | -1): void {
    const { state } = this;
    const overflows = NODE_HEADER_BYTES + keyBytes + documentBytes > LARGEST_NODE_BYTES;
    state.count += sign;
    state.documentBytes += sign * documentBytes;
    state.nodeBytes += sign * (NODE_HEADER_BYTES + SLOT_BYTES + keyBytes + (overflows ? 8 : documentBytes));
    if (overflows) state.overflowPages += sign * Math.ceil((PAGE_HEADER_BYTES + documentBytes) / PAGE_BYTES);
  }
}
