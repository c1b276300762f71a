import type { Route } from './route.ts';

const ACCESS = new Set(['public', 'account', 'project', 'operator']);

/**
 * Throws when a route says nothing of who may call it, when two claim one path, when a parameter goes unchecked, or when
 * something that people change would leave no trace in the audit log.
 */
export function checkRoutes(routes: readonly Route[]): void {
  const taken = new Set<string>();
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    if (!ACCESS.has(route.auth?.access)) throw new Error(`${name}: a route without auth does not start`);
    if (route.path.includes(':') && route.params === undefined) throw new Error(`${name}: the parameters of its path have no schema`);
    if (changesUnseen(route)) throw new Error(`${name}: says neither how the audit log calls it nor that it changes nothing`);
    if (Object.keys(route.answers).length === 0) throw new Error(`${name}: no answer is declared`);
    const claim = name.replace(/:[A-Za-z_]+/g, ':');
    if (taken.has(claim)) throw new Error(`${name}: declared twice`);
    taken.add(claim);
  }
}

function changesUnseen(route: Route): boolean {
  return route.method !== 'GET' && route.auth.access !== 'public' && route.audit === undefined;
}

/** The routes so that a fixed segment is tried before a parameter in its place. */
export function inMatchingOrder(routes: readonly Route[]): Route[] {
  const rank = (route: Route) => route.path.replace(/:[A-Za-z_]+/g, '\uffff');
  return [...routes].sort((one, other) => (rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : 0));
}
