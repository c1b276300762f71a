import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { canEdit } from '../api/session.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextArea } from '../ui/field.tsx';
import { Section } from '../ui/page.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { useUnsaved } from '../ui/unsaved.ts';

const Markdown = lazyPart(() => import('./markdown.tsx'));
const MAX_POSTMORTEM_LENGTH = 50_000;

export function Postmortem({ id, saved }: { id: string; saved: components['schemas']['FullIncident']['postmortem'] }) {
  const [draft, setDraft] = useState<string | null>(null);
  useUnsaved(draft !== null && draft !== (saved?.text ?? ''));
  const saveMutation = useMutation({
    mutationFn: (text: string) => unwrap(api.PUT('/api/incidents/{id}/postmortem', { params: { path: { id } }, body: { text } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['incidents', id] });
      setDraft(null);
      toast(texts.savedToast);
    },
  });
  const edit = canEdit.value && draft === null && (
    <Button onClick={() => setDraft(saved?.text ?? '')}>{saved === null ? texts.writePostmortem : texts.edit}</Button>
  );
  return (
    <Section title={texts.postmortem} actions={edit}>
      {draft === null && saved === null && <p class="faint">{texts.noPostmortem}</p>}
      {draft === null && saved !== null && (
        <article class="card">
          <Markdown text={saved.text} />
          <p class="faint small">{texts.by(saved.author.name)} · <Ago at={saved.updated_at} /></p>
        </article>
      )}
      {draft !== null && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            saveMutation.mutate(draft);
          }}
        >
          <TextArea
            label={texts.postmortem} hint={texts.markdown} rows={12} required maxLength={MAX_POSTMORTEM_LENGTH}
            value={draft} onValue={setDraft}
            error={fieldErrorsOf(saveMutation.error).at('text')}
          />
          {draft.trim() !== '' && <article class="card" aria-label={texts.preview}><Markdown text={draft} /></article>}
          <ErrorNote error={saveMutation.error} />
          <div class="actions">
            <Button type="submit" variant="primary" isBusy={saveMutation.isPending}>{texts.save}</Button>
            <Button variant="quiet" onClick={() => setDraft(null)}>{texts.cancel}</Button>
          </div>
        </form>
      )}
    </Section>
  );
}
