import type { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import type { Tenant } from '../access/tenant.ts';
import { notFound } from '../errors/app-error.ts';
import type { ProjectContext } from '../http/routing/route.ts';
import type { CauseDoc } from './cause.ts';
import type { causeView } from './responses.ts';
import type { CausePage, CauseStore } from './store.ts';

interface CausedIncident {
  id: string;
  monitor_id: string;
  cause_id: string;
}

export interface CauseDeps {
  causes: Pick<CauseStore, 'findOf' | 'list'>;
  incidents: {
    /** The project's incidents with these causes, in the order in which they began. */
    ofCauses(tenant: Tenant, causeIds: string[]): Promise<CausedIncident[]>;
  };
}

type CauseView = z.input<typeof causeView>;

/** Returns one page, newest first. */
export async function listCauses(deps: CauseDeps, { tenant }: ProjectContext, query: CausePage) {
  const { page, limit } = query;
  const { causes, total } = await deps.causes.list(tenant, query);
  return {
    causes: await viewCauses(deps, tenant, causes),
    pagination: { page, limit, total_count: total, has_more: page * limit < total },
  };
}

/** Throws RESOURCE_NOT_FOUND, including for causes without incidents of the project. */
export async function readCause(deps: CauseDeps, { tenant }: ProjectContext, id: string) {
  const found = await deps.causes.findOf(tenant, id);
  const [cause] = found ? await viewCauses(deps, tenant, [found]) : [];
  if (!cause) throw notFound('Cause');
  return cause;
}

/** Incidents and monitors of other projects are left out. */
async function viewCauses(deps: CauseDeps, tenant: Tenant, causes: CauseDoc[]): Promise<CauseView[]> {
  const incidents = await deps.incidents.ofCauses(tenant, causes.map(({ _id }) => _id));
  return causes.map(({ _id: id, kind, value, started_at, ended_at }) => {
    const own = incidents.filter(({ cause_id }) => cause_id === id);
    return {
      id, kind, value,
      monitor_ids: [...new Set(own.map(({ monitor_id }) => monitor_id))],
      incident_ids: own.map((incident) => incident.id),
      started_at: isoTime(started_at), ended_at: isoTime(ended_at),
    };
  });
}
