import { editingTexts } from '../texts/editing.ts';
import { fieldLabels } from '../texts/monitor-fields.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { useForm } from '../ui/use-form.ts';
import type { Draft, Path } from './fields.ts';
import { valueText } from './value-text.ts';

/** What saving would change: before and after, side by side. */
export function ChangesDialog({ before, after, paths, save, onClose }: {
  before: Draft; after: Draft; paths: readonly Path[]; save: () => Promise<unknown>; onClose: () => void;
}) {
  const { onSubmit, isBusy, error } = useForm(save);
  return (
    <Dialog title={editingTexts.saveChanges(paths.length)} onClose={onClose} class="wide">
      <form onSubmit={onSubmit}>
        <div class="table-wrap">
          <table class="changes">
            <thead><tr><th scope="col">{editingTexts.field}</th><th scope="col">{editingTexts.before}</th><th scope="col">{editingTexts.after}</th></tr></thead>
            <tbody>
              {paths.map((path) => (
                <tr key={path}>
                  <th scope="row">{fieldLabels[path]}</th>
                  <td><del>{valueText(path, before[path]) || editingTexts.nothing}</del></td>
                  <td><ins>{valueText(path, after[path]) || editingTexts.nothing}</ins></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <ErrorNote error={error} />
        <footer>
          <Button onClick={onClose}>{shellTexts.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={isBusy} autofocus>{shellTexts.save}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
