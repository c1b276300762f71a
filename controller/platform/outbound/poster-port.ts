export interface PostRequest {
  /** On whose behalf: callers take turns where names are resolved. */
  caller: string;
  url: string;
  method: 'GET' | 'POST' | 'PUT';
  /** Names in any case; the poster sets `Content-Length` and `Host`. */
  headers: Record<string, string>;
  body: Uint8Array | null;
  /** Covers resolving, connecting, sending and the head of the answer; its body is cut off then too. */
  timeoutMs: number;
  /** Ends it early, as `failed`. */
  signal?: AbortSignal;
}

/**
 * `answered`: the receiver sent a status, whichever; `retryAfterMs` is what its `Retry-After` asks for, null
 * without one. `refused`: we do not connect there, and nothing was sent. `failed`: no answer, though the
 * request may have arrived. `busy`: too much is under way to that origin or in all; nothing was sent.
 */
export type PostOutcome =
  | { kind: 'responded'; status: number; durationMs: number; retryAfterMs: number | null }
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string; durationMs: number }
  | { kind: 'busy' };

/** The way out by HTTP. */
export interface Poster {
  /** Never rejects and never follows a redirect. */
  post(request: PostRequest): Promise<PostOutcome>;
}
