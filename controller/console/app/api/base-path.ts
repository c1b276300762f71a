/** The path below which this installation is served, without a trailing slash; empty at the root. */
export const basePath = document.documentElement.dataset['basePath'] ?? '';

/** The address of this installation, without a trailing slash. */
export const baseUrl = `${location.origin}${basePath}`;

/** The URL within the installation, of a path with a query. */
export function belowBasePath(url: string): string {
  const rest = url.slice(basePath.length);
  if (!url.startsWith(basePath) || !/^(?:[/?]|$)/.test(rest)) return url;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
