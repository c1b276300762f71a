import { useMutation } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { orNull } from './page-draft.ts';
import { changePage, PageForm, usePageForm } from './page-form.tsx';
import { updateCachedPage, pagePath, type StatusPage } from './page-queries.ts';

/** The page's custom domain, and the DNS records that it lacks. */
export function CustomDomain({ page: { id, custom_domain: domain, custom_domain_verified: isVerified } }: { page: StatusPage }) {
  const params = pagePath(id);
  const verify = useMutation({
    mutationFn: () => unwrap(api.POST('/api/projects/{projectId}/status-pages/{id}/custom-domain/verify', { params })),
    onSuccess: (changed) => updateCachedPage(changed),
  });
  const form = usePageForm(() => domain ?? '', async (typed) => {
    const changed = await changePage(id, { custom_domain: orNull(typed) });
    verify.reset();
    return changed;
  });
  const verification = verify.data?.verification;
  return (
    <>
      <PageForm form={form}>
        <div class="card">
          <TextField
            label={texts.domain} hint={texts.domainHint} maxLength={253} spellcheck={false} placeholder="status.example.com"
            value={form.draft} onValue={form.setDraft} error={form.fieldErrors.at('custom_domain')}
          />
        </div>
      </PageForm>
      {domain !== null && (
        <section class="card" aria-label={texts.verification}>
          <p><span class={`state-badge ${isVerified ? 'up' : 'degraded'}`}>{isVerified ? texts.verified : texts.notVerified}</span> {domain}</p>
          {typeof verification?.problem === 'string' && <p class="error-text" role="alert">{verification.problem}</p>}
          {verification?.is_verified === false && (
            <>
              <p>{texts.records}</p>
              {verification.records.map(({ type, name, value }) => (
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
