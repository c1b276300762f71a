import { useState } from 'preact/hooks';
import { groupOptions, type GroupNode } from '../live/groups.ts';
import { overviewTexts } from '../texts/overview.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { toastError } from '../ui/toast.tsx';
import { changeAll, type BulkChange } from './bulk-changes.ts';
import type { MonitorList } from './monitor-list.ts';
import type { Selection } from './selection.ts';

export function BulkBar({ list, selection, groups }: { list: MonitorList; selection: Selection; groups: readonly GroupNode[] }) {
  const [openDialog, setOpenDialog] = useState<'move' | 'tag' | 'delete' | null>(null);
  const [isBusy, setBusy] = useState(false);
  const ids = [...selection.ids.value];
  if (ids.length === 0 && openDialog === null) return null;
  const run = async (change: BulkChange) => {
    setBusy(true);
    try {
      await changeAll(list, ids, change);
      selection.clear();
    } finally {
      setBusy(false);
    }
  };
  const runNow = (change: BulkChange) => void run(change).catch(toastError);
  const close = () => setOpenDialog(null);
  return (
    <div class="bulk" role="region" aria-label={overviewTexts.selected(ids.length)}>
      <strong>{overviewTexts.selected(ids.length)}</strong>
      <Button isBusy={isBusy} onClick={() => runNow({ action: 'pause' })}>{overviewTexts.pause}</Button>
      <Button isBusy={isBusy} onClick={() => runNow({ action: 'resume' })}>{overviewTexts.resume}</Button>
      <Button isBusy={isBusy} onClick={() => setOpenDialog('move')}>{overviewTexts.move}</Button>
      <Button isBusy={isBusy} onClick={() => setOpenDialog('tag')}>{overviewTexts.addTag}</Button>
      <Button isBusy={isBusy} variant="danger" onClick={() => setOpenDialog('delete')}>{overviewTexts.delete}</Button>
      <Button variant="quiet" onClick={() => selection.clear()}>{overviewTexts.clear}</Button>
      {openDialog === 'delete' && (
        <ConfirmDialog
          title={overviewTexts.deleteTitle(ids.length)} text={overviewTexts.deleteText} confirmLabel={overviewTexts.delete}
          action={() => run({ action: 'delete' })} onClose={close}
        />
      )}
      {openDialog === 'move' && <MoveDialog count={ids.length} groups={groups} run={run} onClose={close} />}
      {openDialog === 'tag' && <TagDialog count={ids.length} run={run} onClose={close} />}
    </div>
  );
}

interface BulkDialogProps {
  count: number;
  run: (change: BulkChange) => Promise<void>;
  onClose: () => void;
}

function MoveDialog({ count, groups, run, onClose }: BulkDialogProps & { groups: readonly GroupNode[] }) {
  const [group, setGroup] = useState('');
  const options = [['', overviewTexts.noGroup] as const, ...groupOptions(groups)];
  return (
    <BulkDialog
      title={overviewTexts.moveTitle(count)} submitLabel={overviewTexts.move} onClose={onClose}
      action={() => run({ action: 'move', group_id: group === '' ? null : group })}
    ><SelectField label={overviewTexts.toGroup} value={group} onValue={setGroup} options={options} /></BulkDialog>
  );
}

function TagDialog({ count, run, onClose }: BulkDialogProps) {
  const [typed, setTyped] = useState('');
  const tags = [...new Set(typed.split(',').map((tag) => tag.trim()).filter((tag) => tag !== ''))];
  return (
    <BulkDialog
      title={overviewTexts.tagTitle(count)} submitLabel={overviewTexts.addTag} onClose={onClose}
      action={() => run({ action: 'tag', tags })}
    ><TextField label={overviewTexts.newTags} required value={typed} onValue={setTyped} /></BulkDialog>
  );
}

function BulkDialog({ title, submitLabel, action, onClose, children }: {
  title: string; submitLabel: string; action: () => Promise<void>; onClose: () => void; children: preact.ComponentChildren;
}) {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null });
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setState({ isBusy: true, error: null });
          action().then(onClose, (error: unknown) => setState({ isBusy: false, error }));
        }}
      >
        {children}
        <ErrorNote error={state.error} />
        <footer>
          <Button onClick={onClose}>{shellTexts.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={state.isBusy}>{submitLabel.replace('…', '').trim()}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
