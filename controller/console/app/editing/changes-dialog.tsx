import { editingTexts } from '../texts/editing.ts';
import { fieldLabels } from '../texts/monitor-fields.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { useForm } from '../ui/use-form.ts';
import { ChangesTable } from './changes-table.tsx';
import { requestValue } from './draft.ts';
import type { Draft, Path } from './fields.ts';
import { valueText } from './value-text.ts';

/** Confirms changes before saving, with old and new values side by side. */
export function ChangesDialog({ before, after, paths, save, onClose }: {
  before: Draft; after: Draft; paths: readonly Path[]; save: () => Promise<unknown>; onClose: () => void;
}) {
  const { onSubmit, isBusy, error } = useForm(save);
  return (
    <Dialog title={editingTexts.saveChanges(paths.length)} onClose={onClose} class="wide">
      <form onSubmit={onSubmit}>
        <ChangesTable
          changes={paths.map((path) => {
            const [was, becomes] = [before, after].map((draft) => valueText(path, requestValue(draft, path)));
            return { field: fieldLabels[path], before: was ?? '', after: becomes ?? '' };
          })}
        />
        <ErrorNote error={error} />
        <footer>
          <Button onClick={onClose}>{shellTexts.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={isBusy} autofocus>{shellTexts.save}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
