import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import type { paths } from '../api/openapi.d.ts';
import { canEdit } from '../api/session.ts';
import { editingTexts } from '../texts/editing.ts';
import { shellTexts } from '../texts/shell.ts';
import { LinkButton } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { creationBody, draftOf, newDraft } from './draft.ts';
import { TYPES, type Draft } from './fields.ts';
import { MonitorForm } from './monitor-form.tsx';

type CreationBody = paths['/api/monitors']['post']['requestBody']['content']['application/json'];

/** `?from=` copies another monitor; `?type=` and `?target=` prefill the form. */
export default function NewMonitor() {
  const { query } = useLocation();
  const from = query['from'];
  const title = from === undefined ? shellTexts.newMonitor : editingTexts.duplicate;
  const actions = <LinkButton href={href('/monitors/import')}>{editingTexts.importTitle}</LinkButton>;
  const back = { to: '/', text: shellTexts.allMonitors };
  if (!canEdit.value) return <Page title={title} back={back}><Empty title={editingTexts.noPermission} /></Page>;
  return (
    <Page title={title} class="form" back={back} actions={actions}>
      {from === undefined ? <BlankMonitor target={query['target'] ?? ''} type={query['type'] ?? ''} /> : <CopiedMonitor id={from} />}
    </Page>
  );
}

function BlankMonitor({ target, type }: { target: string; type: string }) {
  const monitorType = TYPES.find((one) => one === type.toUpperCase()) ?? 'HTTP';
  return <CreateMonitor initial={{ ...newDraft(monitorType), target }} />;
}

function CopiedMonitor({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['monitors', id, 'settings'],
    queryFn: () => unwrap(api.GET('/api/monitors/{id}/settings', { params: { path: { id } } })),
  });
  return (
    <QueryResult query={query}>
      {({ settings }) => {
        const draft = draftOf(settings);
        return <CreateMonitor initial={{ ...draft, slug: '', name: editingTexts.copyOf(String(draft.name)) }} />;
      }}
    </QueryResult>
  );
}

function CreateMonitor({ initial }: { initial: Draft }) {
  const queries = useQueryClient();
  const { route } = useLocation();
  const save = async (draft: Draft) => {
    const { monitor } = await unwrap(api.POST('/api/monitors', { body: creationBody(draft) as CreationBody }));
    void queries.invalidateQueries({ queryKey: ['monitors'] });
    toast(editingTexts.created(monitor.name));
    route(href(`/monitors/${monitor.id}`));
  };
  return <MonitorForm initial={initial} isNew save={save} cancelHref={href('/')} />;
}
