import { AppError, type ErrorCode } from '../../../../shared/errors.ts';
import type { Tenant } from '../../../accounts/tenant.ts';
import type { IncidentDoc } from '../../../incidents/incident.ts';
import type { PageDoc } from '../../page.ts';
import { automaticPost, automaticPostId, followed, mayBegin, toldMonitors } from '../automatic-rules.ts';
import { MOST_POSTS } from '../post.ts';
import { addPost, revisePost, withUpdate } from '../save-post.ts';
import type { PostDeps } from './write-post.ts';

const OVER: readonly ErrorCode[] = ['RESOURCE_NOT_FOUND', 'FAIR_USE_LIMIT_REACHED'];

/**
 * Posts an incident on the published pages that show its monitors and ask for it, and moves its posts on, but
 * none that a person has changed. Returns the ids of the pages that have been given a post. A call may be
 * repeated, also after a crash half-way.
 */
export async function followIncident(deps: PostDeps, incident: IncidentDoc, now: number): Promise<string[]> {
  const tenant = { organizationId: incident.organization_id, projectId: incident.project_id };
  const monitorIds = toldMonitors(incident);
  const pages = monitorIds.length === 0 ? [] : await deps.pages.postingOn(tenant, monitorIds);
  const told = new Set(incident.told_pages);
  for (const page of pages) {
    if (mayBegin(incident, page) && (await begin(deps, tenant, incident, page, now))) told.add(page._id);
  }
  for (const pageId of told) await follow(deps, tenant, incident, pageId, now);
  return [...told];
}

/** False if the page does not ask for it, or has no room. */
async function begin(deps: PostDeps, tenant: Tenant, incident: IncidentDoc, page: PageDoc, now: number) {
  const post = automaticPost(incident, page, now);
  if (post === null) return false;
  const isFull = (await deps.posts.countOf(tenant, page._id)) >= MOST_POSTS;
  if (isFull && !(await deps.posts.deleteOldestAutomatic(tenant, page._id))) return false;
  await addPost(deps, post);
  return true;
}

async function follow(deps: PostDeps, tenant: Tenant, incident: IncidentDoc, pageId: string, now: number) {
  try {
    await revisePost(deps, tenant, pageId, automaticPostId(incident._id, pageId), (seen) => {
      const wanted = followed(seen, incident);
      if (wanted === null) return null;
      const { severity, update } = wanted;
      const moved = update === null ? {} : withUpdate(seen, update.status, update.message, now);
      return { severity, updated_at: now, ...moved };
    });
  } catch (error) {
    // Whoever deletes an automatic post wants none; and a full one stays full, however often it is tried.
    const isOver = error instanceof AppError && OVER.includes(error.code);
    if (!isOver) throw error;
  }
}
