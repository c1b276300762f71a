import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import type { paths } from '../api/openapi.d.ts';
import { editingTexts } from '../texts/editing.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Skeleton } from '../ui/loading.tsx';
import { useForm } from '../ui/use-form.ts';
import { creationBody } from './draft.ts';
import type { Draft } from './fields.ts';
import { RunResults, type Runs } from './run-results.tsx';

type TestBody = paths['/api/monitors/test']['post']['requestBody']['content']['application/json'];

/** Runs the draft's check in the selected regions without saving it. */
export function TestPanel({ draft, error, attempt }: {
  draft: Draft; error: unknown;
  /** Runs `send` and shows its failure. */
  attempt: (send: () => Promise<unknown>) => Promise<unknown>;
}) {
  const [runs, setRuns] = useState<Runs | null>(null);
  const { onSubmit, isBusy } = useForm(() => attempt(async () => {
    setRuns(null);
    const { name: _name, ...body } = creationBody(draft);
    const { results } = await unwrap(api.POST('/api/monitors/test', { body: body as TestBody }));
    setRuns(results);
  }));
  return (
    <section class="card test-panel" aria-label={editingTexts.test}>
      <div class="section-head">
        <p>{editingTexts.testText}</p>
        <Button onClick={onSubmit} isBusy={isBusy}>{editingTexts.testNow}</Button>
      </div>
      {isBusy && <Skeleton lines={2} />}
      <ErrorNote error={error} />
      {runs !== null && <RunResults runs={runs} />}
    </section>
  );
}
