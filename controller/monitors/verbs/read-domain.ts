import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { MonitorDeps } from '../deps.ts';
import type { DomainView } from '../ports.ts';
import { registrableDomain } from '../target.ts';
import { loadMonitor } from './read-monitors.ts';

/**
 * Throws MONITOR_NOT_FOUND, and STATS_NOT_FOUND before the first lookup or if the domain is not monitored.
 */
export async function readDomain(deps: MonitorDeps, ctx: ProjectContext, id: string): Promise<DomainView> {
  const doc = await loadMonitor(deps, ctx, id);
  if (!doc.domain_monitoring?.enabled) throw notFound('Domain monitoring is off for this monitor');
  const domain = registrableDomain(doc);
  if (typeof domain !== 'string') return { ...UNSUPPORTED, message: domain.reason };
  const facts = await deps.readers.domains.find(domain);
  if (!facts || facts.status === null) throw notFound('The domain of this monitor has not been looked up yet');
  const { expires_at, registrar, source, looked_up_at, status, message } = facts;
  return { domain, expires_at, registrar, source, looked_up_at, status, message };
}

const UNSUPPORTED = Object.freeze({
  domain: null, expires_at: null, registrar: null, source: null, looked_up_at: null, status: 'unsupported',
});

function notFound(message: string): AppError {
  return new AppError('STATS_NOT_FOUND', message);
}
