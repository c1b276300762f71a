import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { RunResults, type Runs } from '../editing/run-results.tsx';
import { welcomeTexts } from '../texts/welcome.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { href } from '../ui/link.ts';
import { Skeleton } from '../ui/loading.tsx';
import { useForm } from '../ui/use-form.ts';
import { fullAddress, nameOfAddress } from '../editing/typed-text.ts';

const EVERY_SECONDS = 60;

/** Checks a URL at once and shows the result; one more click creates the monitor. */
export function FirstMonitor({ existing }: { existing: { id: string; name: string } | null }) {
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const [checked, setChecked] = useState<{ target: string; runs: Runs } | null>(null);
  const check = useForm(async () => {
    const target = fullAddress(typed);
    setChecked(null);
    const { results: runs } = await unwrap(api.POST('/api/monitors/test', { body: { type: 'HTTP', target } }));
    setChecked({ target, runs });
  });
  const create = useForm(async () => {
    const target = checked?.target ?? fullAddress(typed);
    await unwrap(api.POST('/api/monitors', {
      body: { name: nameOfAddress(target), type: 'HTTP', target, interval_seconds: EVERY_SECONDS },
    }));
    await queries.invalidateQueries({ queryKey: ['monitors'] });
  });
  if (existing !== null) {
    return (
      <div class="actions">
        <p>{welcomeTexts.monitored(existing.name)}</p>
        <LinkButton href={href(`/monitors/${existing.id}`)}>{welcomeTexts.viewMonitor}</LinkButton>
        <LinkButton href={href('/monitors/new')}>{welcomeTexts.another}</LinkButton>
      </div>
    );
  }
  return (
    <>
      <form onSubmit={check.onSubmit}>
        <TextField
          label={welcomeTexts.address} hint={welcomeTexts.addressHint} value={typed} onValue={setTyped} required maxLength={2048}
          inputMode="url" autocomplete="url" placeholder="https://example.com" spellcheck={false}
          error={fieldErrorsOf(check.error).at('target') ?? fieldErrorsOf(create.error).at('target')}
        />
        <ErrorNote error={check.error} />
        <div class="actions"><Button type="submit" variant={checked === null ? 'primary' : 'plain'} isBusy={check.isBusy}>{welcomeTexts.check}</Button></div>
      </form>
      {check.isBusy && <Skeleton lines={2} />}
      {checked !== null && (
        <form onSubmit={create.onSubmit}>
          <RunResults runs={checked.runs} />
          <ErrorNote error={create.error} />
          <div class="actions">
            <Button type="submit" variant="primary" isBusy={create.isBusy}>
              {isUp(checked.runs) ? welcomeTexts.createMonitor : welcomeTexts.createAnyway}
            </Button>
            <a href={href(`/monitors/new?target=${encodeURIComponent(checked.target)}`)}>{welcomeTexts.moreSettings}</a>
          </div>
        </form>
      )}
      {checked === null && <p class="small"><a href={href('/monitors/new')}>{welcomeTexts.otherTypes}</a></p>}
    </>
  );
}

function isUp(runs: Runs): boolean {
  return runs.length > 0 && runs.every(({ outcome }) => outcome === 'success');
}
