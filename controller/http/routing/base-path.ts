import type { IncomingMessage } from 'node:http';

/** By request: the path below which its response must link. Requests that aren't here link from the root. */
const basePaths = new WeakMap<IncomingMessage, string>();

/**
 * Makes the response link below `basePath`, and removes it from the URL unless a proxy has already done so.
 * Empty: everything is served at the root.
 */
export function enterBasePath(request: IncomingMessage, basePath: string): void {
  if (basePath === '') return;
  basePaths.set(request, basePath);
  const { url = '' } = request;
  const rest = url.slice(basePath.length);
  if (url.startsWith(basePath) && /^(?:[/?]|$)/.test(rest)) request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** What links to this installation begin with in the response to `request`. */
export function basePathOf(request: IncomingMessage): string {
  return basePaths.get(request) ?? '';
}

/** Makes root-relative links of a page begin with `basePath`. Text can't match: its quotes are escaped. */
export function linkBelow(page: string, basePath = ''): string {
  return basePath === '' ? page : page.replace(/="\/(?!\/)/g, `="${basePath}/`);
}
