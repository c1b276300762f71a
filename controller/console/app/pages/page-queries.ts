import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { project } from '../api/session.ts';
import type { StatusPage } from './page-draft.ts';

export type { StatusPage };
export type Post = components['schemas']['StatusPageIncident'];
export type Subscriber = components['schemas']['StatusPageSubscriber'];

export const PAGES_KEY = ['pages', 'list'];

export function projectId(): string {
  return project.value?.id ?? '';
}

/** Path parameters of requests for a page. */
export function pagePath(id: string): { path: { projectId: string; id: string } } {
  return { path: { projectId: projectId(), id } };
}

/** Requests that read or delete a page also name its project in a header. */
export function pagePathWithHeader(id: string): { header: { 'X-Project-ID': string }; path: { projectId: string; id: string } } {
  return { header: { 'X-Project-ID': projectId() }, ...pagePath(id) };
}

export function useStatusPage(id: string) {
  return useQuery({
    queryKey: ['pages', id],
    queryFn: () => unwrap(api.GET('/api/projects/{projectId}/status-pages/{id}', { params: pagePathWithHeader(id) })),
  });
}

/** Updates the cached page and list after a change. */
export function updateCachedPage(changed: { status_page: StatusPage }): void {
  queries.setQueryData(['pages', changed.status_page.id], { status_page: changed.status_page });
  void queries.invalidateQueries({ queryKey: PAGES_KEY });
}
