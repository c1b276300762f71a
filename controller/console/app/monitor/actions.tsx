import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { canEdit } from '../api/session.ts';
import { useCommands } from '../shell/commands.ts';
import { useKeys } from '../shell/keys.ts';
import { diagnosisTexts } from '../texts/diagnosis.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { href } from '../ui/link.ts';
import { ManagedNote } from '../ui/managed.tsx';
import { Menu, MenuItem, MenuLink } from '../ui/menu.tsx';
import { toast, toastError } from '../ui/toast.tsx';
import { DiagnoseNow } from './diagnose-now.tsx';
import type { Monitor } from './monitor-queries.ts';
import { RunNow } from './run-now.tsx';

/** Actions on the monitor; nothing without edit permission. */
export function Actions({ monitor }: { monitor: Monitor }) {
  return canEdit.value ? <EditorActions monitor={monitor} /> : null;
}

function EditorActions({ monitor }: { monitor: Monitor }) {
  const { id, status } = monitor;
  const [openDialog, setOpenDialog] = useState<'run' | 'diagnose' | 'delete' | null>(null);
  const { route } = useLocation();
  const { change, isBusy } = useTransitions(monitor);
  const isChecked = monitor.type !== 'HEARTBEAT';
  const isActive = status === 'active';
  const [runNow, edit] = [() => isChecked && setOpenDialog('run'), () => route(href(`/monitors/${id}/edit`))];
  const diagnose = () => setOpenDialog('diagnose');
  const toggle = () => change(isActive ? 'pause' : 'resume');
  useKeys([
    { keys: 'r', text: monitorTexts.runNow, run: runNow },
    { keys: 'p', text: monitorTexts.pauseOrResume, run: toggle },
    { keys: 'e', text: monitorTexts.edit, run: edit },
  ]);
  useCommands([
    { text: monitorTexts.runNow, keywords: 'check test', run: runNow },
    ...isChecked ? [{ text: diagnosisTexts.diagnoseNow, keywords: 'path traceroute dns tls', run: diagnose }] : [],
    { text: isActive ? monitorTexts.pause : monitorTexts.resume, run: toggle },
    { text: monitorTexts.edit, run: edit },
    { text: monitorTexts.duplicate, keywords: 'copy', run: () => route(href(`/monitors/new?from=${id}`)) },
    { text: `${shellTexts.delete}…`, run: () => setOpenDialog('delete') },
  ]);
  return (
    <>
      {isChecked && <Button variant="primary" onClick={runNow}>{monitorTexts.runNow}</Button>}
      <Button isBusy={isBusy} onClick={toggle}>{isActive ? monitorTexts.pause : monitorTexts.resume}</Button>
      <LinkButton href={href(`/monitors/${id}/edit`)}>{monitorTexts.edit}</LinkButton>
      <Menu label="⋯" name={monitorTexts.more}>
        {isChecked && <MenuItem onChoose={diagnose}>{diagnosisTexts.diagnoseNow}</MenuItem>}
        <MenuLink to={href(`/monitors/new?from=${id}`)}>{monitorTexts.duplicate}</MenuLink>
        {status !== 'disabled' && <MenuItem onChoose={() => change('disable')}>{monitorTexts.disable}</MenuItem>}
        <MenuItem onChoose={() => setOpenDialog('delete')}>{shellTexts.delete}…</MenuItem>
      </Menu>
      {openDialog === 'run' && <RunNow id={id} onClose={() => setOpenDialog(null)} />}
      {openDialog === 'diagnose' && <DiagnoseNow id={id} onClose={() => setOpenDialog(null)} />}
      {openDialog === 'delete' && <DeleteDialog monitor={monitor} onClose={() => setOpenDialog(null)} />}
    </>
  );
}

type Transition = 'pause' | 'resume' | 'disable';
const STATUS_AFTER = { pause: 'paused', resume: 'active', disable: 'disabled' } as const;
const TOAST_KEYS = { pause: 'donePause', resume: 'doneResume', disable: 'doneDisable' } as const;
const UNDO = { active: 'resume', paused: 'pause', disabled: 'disable' } as const;

/** Shows changes at once and reverts them if the API refuses. */
function useTransitions({ id }: Monitor) {
  const queries = useQueryClient();
  const key = ['monitors', id, 'monitor'];
  const send = (transition: Transition) => {
    const path = { params: { path: { id } } };
    return unwrap({
      pause: () => api.POST('/api/monitors/{id}/pause', path),
      resume: () => api.POST('/api/monitors/{id}/resume', path),
      disable: () => api.POST('/api/monitors/{id}/disable', path),
    }[transition]());
  };
  const mutation = useMutation({
    mutationFn: send,
    onMutate: async (transition: Transition) => {
      await queries.cancelQueries({ queryKey: key });
      const previous = queries.getQueryData<Monitor>(key);
      const runtimeStatus = transition === 'pause' ? 'paused' : 'unknown';
      queries.setQueryData(key, (one?: Monitor) => one && { ...one, status: STATUS_AFTER[transition], runtimeStatus });
      return previous;
    },
    onError: (error, _transition, previous) => {
      queries.setQueryData(key, previous);
      toastError(error);
    },
    onSuccess: ({ monitor }, transition, previous) => {
      queries.setQueryData(key, monitor);
      const undo = () => mutation.mutateAsync(UNDO[previous?.status ?? 'active']);
      toast(monitorTexts[TOAST_KEYS[transition]], transition === 'resume' ? undefined : undo);
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['monitors'] }),
  });
  return { change: (transition: Transition) => mutation.mutate(transition), isBusy: mutation.isPending };
}

function DeleteDialog({ monitor: { id, name, managed_by }, onClose }: { monitor: Monitor; onClose: () => void }) {
  const queries = useQueryClient();
  const { route } = useLocation();
  const remove = async () => {
    await unwrap(api.DELETE('/api/monitors/{id}', { params: { path: { id } } }));
    void queries.invalidateQueries({ queryKey: ['monitors'] });
    toast(monitorTexts.deleted(name));
    route(href('/'));
  };
  return (
    <ConfirmDialog
      title={monitorTexts.deleteTitle(name)} text={<><p>{monitorTexts.deleteText}</p><ManagedNote owner={managed_by} /></>}
      confirmLabel={shellTexts.delete} action={remove} onClose={onClose}
    />
  );
}
