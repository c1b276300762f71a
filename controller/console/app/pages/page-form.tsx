import { useMutation } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { toast } from '../ui/toast.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import type { PageChange } from './page-draft.ts';
import { updateCachedPage, pagePath, type StatusPage } from './page-queries.ts';

type PageResponse = Promise<{ status_page: StatusPage }>;

export function changePage(id: string, body: PageChange): PageResponse {
  return unwrap(api.PUT('/api/projects/{projectId}/status-pages/{id}', { params: pagePath(id), body }));
}

/** State of a page's form. `initial` returns its values; `send` saves them. */
export function usePageForm<D>(initial: () => D, send: (draft: D) => PageResponse) {
  const [saved, setSaved] = useState(initial);
  const [draft, setDraft] = useState(saved);
  const { mutate, isPending: isBusy, error } = useMutation({
    mutationFn: send,
    onSuccess: (changed, sent) => {
      updateCachedPage(changed);
      setSaved(sent);
      toast(texts.saved);
    },
  });
  const hasChanges = JSON.stringify(draft) !== JSON.stringify(saved);
  useUnsaved(!isBusy && hasChanges);
  return {
    draft, setDraft, isChanged: hasChanges, isBusy, error, save: () => mutate(draft),
    set: (part: Partial<D>) => setDraft({ ...draft, ...part }),
    /** Validation messages by their path in the request. */
    fieldErrors: fieldErrorsOf(error),
  };
}

/** A form that can be saved once it has changes. */
export function PageForm({ form: { isChanged: hasChanges, isBusy, error, save }, children }: {
  form: Pick<ReturnType<typeof usePageForm>, 'isChanged' | 'isBusy' | 'error' | 'save'>; children: ComponentChildren;
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
      <div class="form-foot"><Button type="submit" variant="primary" isBusy={isBusy} disabled={!hasChanges}>{shellTexts.save}</Button></div>
    </form>
  );
}
