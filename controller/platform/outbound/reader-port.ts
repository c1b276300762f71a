interface ReadLimits {
  /** An answer with more bytes is `failed`. */
  limitBytes: number;
  /** Covers resolving, connecting, sending and the whole answer. */
  timeoutMs: number;
}

export interface GetRequest extends ReadLimits {
  url: string;
  accept: string;
}

export interface QueryRequest extends ReadLimits {
  host: string;
  port: number;
  /** Sent with a line end. */
  line: string;
}

/** `refused`: we do not connect there, and nothing was sent. `failed`: there is no whole answer. */
type ReadFailure = { kind: 'refused' | 'failed'; reason: string };

/** `location` is where a redirect leads, as the server wrote it; null without one. */
export type GetOutcome = ReadFailure | { kind: 'responded'; status: number; location: string | null; body: Buffer };
export type QueryOutcome = ReadFailure | { kind: 'responded'; body: Buffer };

/** The way out to read what strangers publish. Connects to vetted addresses only; never rejects. */
export interface OutboundReader {
  /** GET by HTTP. Follows no redirect. */
  get(request: GetRequest): Promise<GetOutcome>;
  /** Sends a line by TCP and reads until the server closes the connection. */
  query(request: QueryRequest): Promise<QueryOutcome>;
}
