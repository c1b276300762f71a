interface ReadLimits {
  /** A larger response is `failed`. */
  limitBytes: number;
  /** Covers resolving, connecting, sending and the whole response. */
  timeoutMs: number;
}

export interface GetRequest extends ReadLimits {
  url: string;
  accept: string;
}

export interface QueryRequest extends ReadLimits {
  host: string;
  port: number;
  /** Sent with a line break. */
  line: string;
}

/** `refused`: the address is forbidden; nothing was sent. `failed`: no complete response. */
type ReadFailure = { kind: 'refused' | 'failed'; reason: string };

/** `location` is the redirect's Location header as sent; null without one. */
export type GetOutcome = ReadFailure | { kind: 'responded'; status: number; location: string | null; body: Buffer };
export type QueryOutcome = ReadFailure | { kind: 'responded'; body: Buffer };

/** Reads untrusted servers. Connects to vetted addresses only; never rejects. */
export interface OutboundReader {
  /** HTTP GET. Follows no redirect. */
  get(request: GetRequest): Promise<GetOutcome>;
  /** Sends a line over TCP and reads until the server closes the connection. */
  query(request: QueryRequest): Promise<QueryOutcome>;
}
