export interface PostRequest {
  /** Key by which callers share name resolution fairly. */
  caller: string;
  url: string;
  method: 'GET' | 'POST' | 'PUT';
  /** Header names in any case; the poster sets `Content-Length` and `Host`. */
  headers: Record<string, string>;
  body: Uint8Array | null;
  /** Covers resolving, connecting, sending and the response headers; then the body is cut off. */
  timeoutMs: number;
  /** Aborts the request with outcome `failed`. */
  signal?: AbortSignal;
}

/**
 * `responded`: the receiver sent a status; `retryAfterMs` is its `Retry-After`, if any. `refused`: forbidden
 * address, nothing was sent. `failed`: no response, but the request may have arrived. `busy`: too many
 * requests in progress, nothing was sent.
 */
export type PostOutcome =
  | { kind: 'responded'; status: number; durationMs: number; retryAfterMs: number | null }
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string; durationMs: number }
  | { kind: 'busy' };

/** Sends HTTP requests to destinations. */
export interface Poster {
  /** Never rejects and never follows a redirect. */
  post(request: PostRequest): Promise<PostOutcome>;
}
