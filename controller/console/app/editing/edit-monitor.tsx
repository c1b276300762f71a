import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useLocation, useRoute } from 'preact-iso';
import { answer, api } from '../api/client.ts';
import type { paths } from '../api/openapi.d.ts';
import { canEdit } from '../session/session.ts';
import { editingTexts } from '../texts/editing.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { href } from '../ui/link.ts';
import { Shown } from '../ui/loading.tsx';
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
  const read = useQuery({
    queryKey: ['monitors', id, 'settings'],
    queryFn: () => answer(api.GET('/api/monitors/{id}/settings', { params: { path: { id } } })),
    // The form begins with what is stored now, never with what was read before.
    gcTime: 0,
  });
  const back = { to: `/monitors/${id}`, text: read.data?.settings.name ?? monitorTexts.monitor };
  if (!canEdit.value) return <Page title={editingTexts.edit} back={back}><Empty title={editingTexts.mayNot} /></Page>;
  const save = async (draft: Draft, changed: readonly Path[]) => {
    await answer(api.PATCH('/api/monitors/{id}', { params: { path: { id } }, body: bodyOf(draft, changed) as ChangeBody }));
    void queries.invalidateQueries({ queryKey: ['monitors'] });
    toast(editingTexts.saved(String(draft.name)));
    route(href(`/monitors/${id}`));
  };
  return (
    <Page title={read.data === undefined ? editingTexts.edit : editingTexts.editing(read.data.settings.name)} class="form" back={back}>
      <Shown of={read}>
        {({ settings }) => <MonitorForm key={id} initial={draftOf(settings)} isNew={false} save={save} cancelTo={href(`/monitors/${id}`)} />}
      </Shown>
    </Page>
  );
}
