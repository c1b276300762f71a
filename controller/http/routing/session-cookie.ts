import type { IncomingHttpHeaders } from 'node:http';

const NAME = 'farwatch_session';

/** The session cookie of browsers: no script can read it, and other sites can't use it. */
export class SessionCookie {
  readonly #name: string;
  readonly #attributes: string;
  readonly #origin: string | null;

  /** @param baseUrl public URL of the API from BASE_URL; null if unset */
  constructor(baseUrl: string | null) {
    const base = baseUrl === null ? null : new URL(baseUrl);
    const isSecure = base?.protocol === 'https:';
    // Browsers accept a cookie with this prefix only from this host, not from its subdomains.
    this.#name = isSecure ? `__Host-${NAME}` : NAME;
    this.#attributes = `; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
    this.#origin = base?.origin ?? null;
  }

  /**
   * Whether the request comes from a page of this origin that uses the cookie. Forms, images and links can't
   * send the header, and no preflight allows it to scripts of other origins. The Origin header, if any, must
   * match.
   */
  appliesTo(headers: IncomingHttpHeaders): boolean {
    const { 'x-farwatch-session': mode, 'sec-fetch-site': site, origin } = headers;
    if (mode !== 'cookie') return false;
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
    if (origin === undefined) return true;
    const host = headers.host?.toLowerCase();
    // A proxy may replace Host; BASE_URL then names the public origin.
    return [this.#origin, `http://${host}`, `https://${host}`].includes(origin);
  }

  /** The session token; null without one. */
  read({ cookie = '' }: IncomingHttpHeaders): string | null {
    const start = `${this.#name}=`;
    const found = cookie.split(';').map((pair) => pair.trim()).find((pair) => pair.startsWith(start));
    return found?.slice(start.length) || null;
  }

  /** The Set-Cookie value that stores a token for `durationMs`. */
  setCookie(token: string, durationMs: number): string {
    return `${this.#name}=${token}${this.#attributes}; Max-Age=${Math.floor(durationMs / 1000)}`;
  }

  /** The Set-Cookie value that removes the token. */
  get clearCookie(): string {
    return this.setCookie('', 0);
  }
}
