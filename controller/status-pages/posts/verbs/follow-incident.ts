import type { Tenant } from '../../../access/tenant.ts';
import { AppError, type ErrorCode } from '../../../errors/app-error.ts';
import type { IncidentDoc } from '../../../incidents/incident.ts';
import type { PageDoc } from '../../page.ts';
import { automaticPost, automaticPostId, followUpOf, canStartPost, publicMonitorIds } from '../automatic-rules.ts';
import { MAX_POSTS } from '../post.ts';
import { addPost, revisePost, withUpdate } from '../save-post.ts';
import type { PostDeps } from './write-post.ts';

const FINAL_ERROR_CODES: readonly ErrorCode[] = ['RESOURCE_NOT_FOUND', 'FAIR_USE_LIMIT_REACHED'];

/**
 * Posts an incident on the published pages with automatic posts that show its monitors, and updates its posts
 * except those that a person has changed. Returns the ids of the pages with a post. Safe to repeat after a
 * crash.
 */
export async function followIncident(deps: PostDeps, incident: IncidentDoc, now: number): Promise<string[]> {
  const tenant = { organizationId: incident.organization_id, projectId: incident.project_id };
  const monitorIds = publicMonitorIds(incident);
  const pages = monitorIds.length === 0 ? [] : await deps.pages.postingOn(tenant, monitorIds);
  const notifiedPageIds = new Set(incident.notified_page_ids);
  for (const page of pages) {
    if (!canStartPost(incident, page)) continue;
    if (await startPost(deps, tenant, incident, page, now)) notifiedPageIds.add(page._id);
  }
  for (const pageId of notifiedPageIds) await advancePost(deps, tenant, incident, pageId, now);
  return [...notifiedPageIds];
}

/** False if the page doesn't post such incidents or has no room. */
async function startPost(deps: PostDeps, tenant: Tenant, incident: IncidentDoc, page: PageDoc, now: number) {
  const post = automaticPost(incident, page, now);
  if (post === null) return false;
  const isFull = (await deps.posts.countOf(tenant, page._id)) >= MAX_POSTS;
  if (isFull && !(await deps.posts.deleteOldestAutomatic(tenant, page._id))) return false;
  await addPost(deps, post);
  return true;
}

async function advancePost(
  deps: PostDeps, tenant: Tenant, incident: IncidentDoc, pageId: string, now: number,
) {
  try {
    await revisePost(deps, tenant, pageId, automaticPostId(incident._id, pageId), (seen) => {
      const followUp = followUpOf(seen, incident);
      if (followUp === null) return null;
      const { severity, update } = followUp;
      const progress = update === null ? {} : withUpdate(seen, update.status, update.message, now);
      return { severity, updated_at: now, ...progress };
    });
  } catch (error) {
    // A person deleted the automatic post, or the page is full: a retry can't help.
    const isFinal = error instanceof AppError && FINAL_ERROR_CODES.includes(error.code);
    if (!isFinal) throw error;
  }
}
