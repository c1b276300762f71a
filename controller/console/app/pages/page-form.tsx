import { useMutation } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fieldsOf } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { toast } from '../ui/toast.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import type { PageChange } from './page-draft.ts';
import { pageChanged, pagePath, type StatusPage } from './reading.ts';

type Changed = Promise<{ status_page: StatusPage }>;

export function changePage(id: string, body: PageChange): Changed {
  return answer(api.PUT('/api/projects/{projectId}/status-pages/{id}', { params: pagePath(id), body }));
}

/** What a form of a page holds, beginning with what `read` returns; `send` saves it. */
export function usePageForm<D>(read: () => D, send: (draft: D) => Changed) {
  const [start, setStart] = useState(read);
  const [draft, setDraft] = useState(start);
  const { mutate, isPending: isBusy, error } = useMutation({
    mutationFn: send,
    onSuccess: (changed, sent) => {
      pageChanged(changed);
      setStart(sent);
      toast(texts.saved);
    },
  });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(start);
  useUnsaved(!isBusy && isChanged);
  return {
    draft, setDraft, isChanged, isBusy, error, save: () => mutate(draft),
    set: (part: Partial<D>) => setDraft({ ...draft, ...part }),
    /** What the API has against single fields, by their path in the request. */
    wrong: fieldsOf(error),
  };
}

/** A form that is saved once something in it has changed. */
export function PageForm({ of: { isChanged, isBusy, error, save }, children }: {
  of: Pick<ReturnType<typeof usePageForm>, 'isChanged' | 'isBusy' | 'error' | 'save'>; children: ComponentChildren;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {children}
      <ErrorNote error={error} />
      <div class="form-foot"><Button type="submit" variant="primary" isBusy={isBusy} disabled={!isChanged}>{shellTexts.save}</Button></div>
    </form>
  );
}
