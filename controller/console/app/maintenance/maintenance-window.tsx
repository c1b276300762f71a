import { useQuery } from '@tanstack/preact-query';
import { useLocation, useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { canEdit } from '../api/session.ts';
import { NotFound } from '../shell/not-found.tsx';
import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { ManagedForm, ManagedNote } from '../ui/managed.tsx';
import { Page, type Back } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { WindowForm } from './window-form.tsx';
import { projectId, invalidateWindows, type Window } from './windows.ts';

/** Creates or edits a window. */
export default function MaintenanceWindow() {
  const { params: { id } } = useRoute();
  if (id === undefined) {
    return <Page title={texts.plan} class="form" back={backOf()}><WindowForm window={null} /></Page>;
  }
  return <ExistingWindow id={id} />;
}

function ExistingWindow({ id }: { id: string }) {
  const path = { projectId: projectId(), id };
  const query = useQuery({
    queryKey: ['maintenance', path.projectId, id],
    queryFn: () => unwrap(api.GET('/api/projects/{projectId}/maintenance-windows/{id}', { params: { path } })),
  });
  if (query.error instanceof ApiError && [400, 404].includes(query.error.status)) return <NotFound />;
  return (
    <QueryResult query={query} lines={8}>
      {({ maintenance_window: window }) => (
        <Page title={window.title} class="form" back={backOf()} actions={canEdit.value && <DeleteButton window={window} />}>
          <ManagedForm owner={window.managed_by}><WindowForm key={window.updated_at} window={window} /></ManagedForm>
        </Page>
      )}
    </QueryResult>
  );
}

function backOf(): Back {
  return { to: '/maintenance', text: texts.back };
}

function DeleteButton({ window }: { window: Window }) {
  const [isConfirming, setConfirming] = useState(false);
  const { route } = useLocation();
  return (
    <>
      <Button variant="danger" onClick={() => setConfirming(true)}>{texts.remove}</Button>
      {isConfirming && (
        <ConfirmDialog
          title={texts.removeTitle(window.title)} text={<><p>{texts.removeText}</p><ManagedNote owner={window.managed_by} /></>}
          confirmLabel={texts.remove} onClose={() => setConfirming(false)}
          action={async () => {
            const path = { projectId: projectId(), id: window.id };
            await unwrap(api.DELETE('/api/projects/{projectId}/maintenance-windows/{id}', { params: { path } }));
            await invalidateWindows();
            toast(texts.removed);
            route(href('/maintenance'));
          }}
        />
      )}
    </>
  );
}
