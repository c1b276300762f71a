import { useQuery } from '@tanstack/preact-query';
import { useLocation, useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import { canEdit } from '../session/session.ts';
import { NotFound } from '../shell/not-found.tsx';
import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { href } from '../ui/link.ts';
import { Shown } from '../ui/loading.tsx';
import { Page, type Back } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { WindowForm } from './window-form.tsx';
import { projectId, windowsChanged, type Window } from './windows.ts';

/** Plans a window, or changes one. */
export default function MaintenanceWindow() {
  const { params: { id } } = useRoute();
  if (id === undefined) {
    return <Page title={texts.plan} class="form" back={backOf()}><WindowForm window={null} /></Page>;
  }
  return <Existing id={id} />;
}

function Existing({ id }: { id: string }) {
  const path = { projectId: projectId(), id };
  const read = useQuery({
    queryKey: ['maintenance', path.projectId, id],
    queryFn: () => answer(api.GET('/api/projects/{projectId}/maintenance-windows/{id}', { params: { path } })),
  });
  if (read.error instanceof ApiError && [400, 404].includes(read.error.status)) return <NotFound />;
  return (
    <Shown of={read} lines={8}>
      {({ maintenance_window: window }) => (
        <Page title={window.title} class="form" back={backOf()} actions={canEdit.value && <Delete window={window} />}>
          <WindowForm key={window.updated_at} window={window} />
        </Page>
      )}
    </Shown>
  );
}

function backOf(): Back {
  return { to: '/maintenance', text: texts.back };
}

function Delete({ window }: { window: Window }) {
  const [isAsked, setAsked] = useState(false);
  const { route } = useLocation();
  return (
    <>
      <Button variant="danger" onClick={() => setAsked(true)}>{texts.remove}</Button>
      {isAsked && (
        <ConfirmDialog
          title={texts.removeAsk(window.title)} text={texts.removeLong} verb={texts.remove} onClose={() => setAsked(false)}
          action={async () => {
            const path = { projectId: projectId(), id: window.id };
            await answer(api.DELETE('/api/projects/{projectId}/maintenance-windows/{id}', { params: { path } }));
            await windowsChanged();
            toast(texts.removed);
            route(href('/maintenance'));
          }}
        />
      )}
    </>
  );
}
