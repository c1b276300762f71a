import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useLocation, useRoute } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import type { paths } from '../api/openapi.d.ts';
import { canEdit } from '../api/session.ts';
import { editingTexts } from '../texts/editing.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { ManagedForm } from '../ui/managed.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { bodyOf, draftOf } from './draft.ts';
import type { Draft, Path } from './fields.ts';
import { MonitorForm } from './monitor-form.tsx';

type ChangeBody = paths['/api/monitors/{id}']['patch']['requestBody']['content']['application/json'];

export default function EditMonitor() {
  const { params } = useRoute();
  const { route } = useLocation();
  const queries = useQueryClient();
  const id = params['id'] ?? '';
  const query = useQuery({
    queryKey: ['monitors', id, 'settings'],
    queryFn: async () => {
      const params = { path: { id } };
      const [{ settings }, { monitor }] = await Promise.all([
        unwrap(api.GET('/api/monitors/{id}/settings', { params })), unwrap(api.GET('/api/monitors/{id}', { params })),
      ]);
      return { settings, owner: monitor.managed_by };
    },
    // The form must start with current data, never with a cached response.
    gcTime: 0,
  });
  const back = { to: `/monitors/${id}`, text: query.data?.settings.name ?? monitorTexts.monitor };
  if (!canEdit.value) return <Page title={editingTexts.edit} back={back}><Empty title={editingTexts.noPermission} /></Page>;
  const save = async (draft: Draft, changed: readonly Path[]) => {
    await unwrap(api.PATCH('/api/monitors/{id}', { params: { path: { id } }, body: bodyOf(draft, changed) as ChangeBody }));
    void queries.invalidateQueries({ queryKey: ['monitors'] });
    toast(editingTexts.saved(String(draft.name)));
    route(href(`/monitors/${id}`));
  };
  return (
    <Page title={query.data === undefined ? editingTexts.edit : editingTexts.editing(query.data.settings.name)} class="form" back={back}>
      <QueryResult query={query}>
        {({ settings, owner }) => (
          <ManagedForm owner={owner}>
            <MonitorForm key={id} initial={draftOf(settings)} isNew={false} monitorId={id} save={save} cancelHref={href(`/monitors/${id}`)} />
          </ManagedForm>
        )}
      </QueryResult>
    </Page>
  );
}
