import type { Route } from './route.ts';

const ACCESS = new Set(['public', 'account', 'project', 'path-project', 'operator']);

/**
 * Throws if a route doesn't declare its auth, its path parameters or its responses, could make changes
 * without an audit entry, or repeats another route's path.
 */
export function checkRoutes(routes: readonly Route[]): void {
  const taken = new Set<string>();
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    const pattern = name.replace(/:[A-Za-z_]+/g, ':');
    const problem = problemOf(route) ?? (taken.has(pattern) ? 'is declared twice' : null);
    if (problem !== null) throw new Error(`${name}: ${problem}`);
    taken.add(pattern);
  }
}

function problemOf({ auth, method, path, params, audit, responses }: Route): string | null {
  if (!ACCESS.has(auth?.access)) return 'declares no known auth';
  if (auth.access === 'path-project' && !path.includes('/:projectId/')) return 'its path has no :projectId';
  if (path.includes(':') && params === undefined) return 'its path parameters have no schema';
  if (method !== 'GET' && auth.access !== 'public' && audit === undefined) {
    return 'must declare an audit log name, or `audit: false` if it changes nothing';
  }
  return Object.keys(responses).length === 0 ? 'declares no response' : null;
}

/** Routes in matching order: a fixed segment comes before a parameter in the same place. */
export function inMatchingOrder(routes: readonly Route[]): Route[] {
  const rank = (route: Route) => route.path.replace(/:[A-Za-z_]+/g, '\uffff');
  return [...routes].sort((one, other) => (rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : 0));
}
