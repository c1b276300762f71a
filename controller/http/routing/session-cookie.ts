import type { IncomingHttpHeaders } from 'node:http';

const NAME = 'farwatch_session';

/** Where a browser keeps its session: no script can read it, and other sites cannot use it. */
export class SessionCookie {
  readonly #name: string;
  readonly #attributes: string;
  readonly #origin: string | null;

  /** @param baseUrl where people reach the API, as BASE_URL says; null if it does not */
  constructor(baseUrl: string | null) {
    const base = baseUrl === null ? null : new URL(baseUrl);
    const isSecure = base?.protocol === 'https:';
    // With this prefix, browsers accept the cookie from this host alone, and not from its subdomains.
    this.#name = isSecure ? `__Host-${NAME}` : NAME;
    this.#attributes = `; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
    this.#origin = base?.origin ?? null;
  }

  /**
   * Whether the request comes from a page of this origin that keeps its session in the cookie. A form, an
   * image or a link cannot send the header; to a script of another origin, no preflight ever allows it. What
   * browsers say about the origin must agree.
   */
  appliesTo(headers: IncomingHttpHeaders): boolean {
    const { 'x-farwatch-session': mode, 'sec-fetch-site': site, origin } = headers;
    if (mode !== 'cookie') return false;
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
    if (origin === undefined) return true;
    const host = headers.host?.toLowerCase();
    // A proxy may replace Host; BASE_URL then says what people see.
    return [this.#origin, `http://${host}`, `https://${host}`].includes(origin);
  }

  /** The token; null without one. */
  read({ cookie = '' }: IncomingHttpHeaders): string | null {
    const start = `${this.#name}=`;
    const found = cookie.split(';').map((pair) => pair.trim()).find((pair) => pair.startsWith(start));
    return found?.slice(start.length) || null;
  }

  /** The value of Set-Cookie that keeps a token for `durationMs`. */
  setCookie(token: string, durationMs: number): string {
    return `${this.#name}=${token}${this.#attributes}; Max-Age=${Math.floor(durationMs / 1000)}`;
  }

  /** The value of Set-Cookie that removes the token. */
  get clearCookie(): string {
    return this.setCookie('', 0);
  }
}
