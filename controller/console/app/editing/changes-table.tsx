import { editingTexts } from '../texts/editing.ts';
import type { Change } from './value-text.ts';

/** Old and new values side by side. */
export function ChangesTable({ changes }: { changes: readonly Change[] }) {
  return (
    <div class="table-wrap">
      <table class="changes">
        <thead><tr><th scope="col">{editingTexts.field}</th><th scope="col">{editingTexts.before}</th><th scope="col">{editingTexts.after}</th></tr></thead>
        <tbody>
          {changes.map(({ field, before, after }) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td><del>{before || editingTexts.nothing}</del></td>
              <td><ins>{after || editingTexts.nothing}</ins></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
