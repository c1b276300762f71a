import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { toast } from '../ui/toast.tsx';
import { orNull } from './page-draft.ts';
import { pageChanged, pagePath, type StatusPage } from './reading.ts';

/** The page at a domain of one's own: which, and what DNS lacks. */
export function CustomDomain({ page: { id, custom_domain: domain, custom_domain_verified: isVerified } }: { page: StatusPage }) {
  const [typed, setTyped] = useState(domain ?? '');
  const params = pagePath(id);
  const save = useMutation({
    mutationFn: () => answer(api.PUT('/api/projects/{projectId}/status-pages/{id}', { params, body: { custom_domain: orNull(typed) } })),
    onSuccess: (changed) => {
      pageChanged(changed);
      verify.reset();
      toast(texts.saved);
    },
  });
  const verify = useMutation({
    mutationFn: () => answer(api.POST('/api/projects/{projectId}/status-pages/{id}/custom-domain/verify', { params })),
    onSuccess: (changed) => pageChanged(changed),
  });
  const checked = verify.data?.verification;
  return (
    <>
      <form
        class="card" onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <TextField
          label={texts.domain} hint={texts.domainHint} maxLength={253} spellcheck={false} placeholder="status.example.com" value={typed}
          onValue={setTyped} error={save.error instanceof ApiError ? save.error.fields['custom_domain'] : undefined}
        />
        <ErrorNote error={save.error} />
        <div class="actions"><Button type="submit" variant="primary" isBusy={save.isPending}>{shellTexts.save}</Button></div>
      </form>
      {domain !== null && (
        <section class="card" aria-label={texts.verification}>
          <p><span class={`state-badge ${isVerified ? 'up' : 'degraded'}`}>{isVerified ? texts.verified : texts.notVerified}</span> {domain}</p>
          {typeof checked?.problem === 'string' && <p class="error-text" role="alert">{checked.problem}</p>}
          {checked?.is_verified === false && (
            <>
              <p>{texts.records}</p>
              {checked.records.map(({ type, name, value }) => (
                <CopyLine key={type} text={`${name} ${type} ${value}`} label={type} />
              ))}
            </>
          )}
          <ErrorNote error={verify.error} />
          <div class="actions"><Button isBusy={verify.isPending} onClick={() => verify.mutate()}>{texts.verify}</Button></div>
        </section>
      )}
    </>
  );
}
