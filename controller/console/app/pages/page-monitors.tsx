import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { monitorsInput, moveItem, shownMonitors, type ShownMonitor } from './page-draft.ts';
import { PageForm, usePageForm } from './page-form.tsx';
import { pagePath, type StatusPage } from './page-queries.ts';

const MAX_MONITORS = 5000;

/** The monitors on the page, with their order, names and groups. */
export function PageMonitors({ page }: { page: StatusPage }) {
  const form = usePageForm(
    () => shownMonitors(page.monitors ?? []),
    (draft) => unwrap(api.PUT('/api/projects/{projectId}/status-pages/{id}/monitors', { params: pagePath(page.id), body: monitorsInput(draft) })),
  );
  const { draft: all, setDraft: setAll } = form;
  const change = (at: number, part: Partial<ShownMonitor>) => setAll(all.map((one, place) => (place === at ? { ...one, ...part } : one)));
  return (
    <PageForm form={form}>
      {all.length === 0 && <p class="faint">{texts.noMonitors}</p>}
      <datalist id="page-groups">
        {[...new Set(all.map((one) => one.group_name))].filter(Boolean).map((name) => <option key={name} value={name} />)}
      </datalist>
      <ol class="page-monitors">
        {all.map((one, at) => (
          <MonitorLine
            key={one.monitor_id} one={one} isFirst={at === 0} isLast={at === all.length - 1} onChange={(part) => change(at, part)}
            onMove={(by) => setAll(moveItem(all, at, by))} onRemove={() => setAll(all.toSpliced(at, 1))}
          />
        ))}
      </ol>
      <AddMonitor shown={all} onAdd={(added) => setAll([...all, added])} />
    </PageForm>
  );
}

function MonitorLine({ one, isFirst, isLast, onChange, onMove, onRemove }: {
  one: ShownMonitor; isFirst: boolean; isLast: boolean; onChange: (part: Partial<ShownMonitor>) => void;
  onMove: (by: number) => void; onRemove: () => void;
}) {
  const name = one.monitor_name;
  return (
    <li>
      <span class="page-monitor-name">{name}</span>
      <input
        aria-label={texts.shownAs(name)} placeholder={texts.displayName} maxLength={100} value={one.display_name}
        onInput={({ currentTarget }) => onChange({ display_name: currentTarget.value })}
      />
      <input
        aria-label={texts.groupOf(name)} placeholder={texts.group} maxLength={100} list="page-groups" value={one.group_name}
        onInput={({ currentTarget }) => onChange({ group_name: currentTarget.value })}
      />
      <label class="page-visible">
        <input type="checkbox" checked={one.is_visible} onChange={({ currentTarget }) => onChange({ is_visible: currentTarget.checked })} />
        <span class="hidden">{name}: </span>{texts.visible}
      </label>
      <span class="actions">
        <Button variant="quiet" aria-label={texts.upOf(name)} disabled={isFirst} onClick={() => onMove(-1)}>↑</Button>
        <Button variant="quiet" aria-label={texts.downOf(name)} disabled={isLast} onClick={() => onMove(1)}>↓</Button>
        <Button variant="quiet" aria-label={texts.removeOf(name)} onClick={onRemove}>✕</Button>
      </span>
    </li>
  );
}

function AddMonitor({ shown, onAdd }: { shown: ShownMonitor[]; onAdd: (added: ShownMonitor) => void }) {
  const { data } = useQuery({
    queryKey: ['pages', 'monitors'],
    queryFn: () => unwrap(api.GET('/api/monitors/overview', { params: { query: { limit: MAX_MONITORS } } })),
  });
  const others = (data?.monitors ?? []).filter(({ id }) => !shown.some((one) => one.monitor_id === id));
  return (
    <SelectField
      label={texts.addMonitor} value="" disabled={others.length === 0}
      onValue={(id) => {
        const found = others.find((one) => one.id === id);
        if (found === undefined) return;
        onAdd({ monitor_id: id, monitor_name: found.name, display_name: '', group_name: '', is_visible: true });
      }}
      options={[['', texts.choose], ...others.toSorted((one, other) => one.name.localeCompare(other.name)).map(({ id, name }) => [id, name] as const)]}
    />
  );
}
