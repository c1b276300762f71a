import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { fieldsOf } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { canEdit } from '../session/session.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextArea } from '../ui/field.tsx';
import { Section } from '../ui/page.tsx';
import { part } from '../ui/part.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { useUnsaved } from '../ui/unsaved.ts';

const Markdown = part(() => import('./markdown.tsx'));
const LONGEST = 50_000;

/** What was learned from an incident, written in Markdown. */
export function Postmortem({ id, written }: { id: string; written: components['schemas']['FullIncident']['postmortem'] }) {
  const [draft, setDraft] = useState<string | null>(null);
  useUnsaved(draft !== null && draft !== (written?.text ?? ''));
  const saving = useMutation({
    mutationFn: (text: string) => answer(api.PUT('/api/incidents/{id}/postmortem', { params: { path: { id } }, body: { text } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['incidents', id] });
      setDraft(null);
      toast(texts.savedToast);
    },
  });
  const edit = canEdit.value && draft === null && (
    <Button onClick={() => setDraft(written?.text ?? '')}>{written === null ? texts.writePostmortem : texts.edit}</Button>
  );
  return (
    <Section title={texts.postmortem} actions={edit}>
      {draft === null && written === null && <p class="faint">{texts.noPostmortem}</p>}
      {draft === null && written !== null && (
        <article class="card">
          <Markdown text={written.text} />
          <p class="faint small">{texts.by(written.author.name)} · <Ago at={written.updated_at} /></p>
        </article>
      )}
      {draft !== null && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            saving.mutate(draft);
          }}
        >
          <TextArea
            label={texts.postmortem} hint={texts.markdown} rows={12} required maxLength={LONGEST} value={draft} onValue={setDraft}
            error={fieldsOf(saving.error).at('text')}
          />
          {draft.trim() !== '' && <article class="card" aria-label={texts.preview}><Markdown text={draft} /></article>}
          <ErrorNote error={saving.error} />
          <div class="actions">
            <Button type="submit" variant="primary" isBusy={saving.isPending}>{texts.save}</Button>
            <Button variant="quiet" onClick={() => setDraft(null)}>{texts.cancel}</Button>
          </div>
        </form>
      )}
    </Section>
  );
}
