import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { TextField } from '../ui/field.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { numberText } from '../ui/time.tsx';
import { projectId } from './windows.ts';

interface Props {
  selected: readonly string[];
  onSelect: (ids: string[]) => void;
}

interface Choice {
  id: string;
  name: string;
}

const MAX_SHOWN = 200;

/** All monitors of the project but `except`. */
export function MonitorSelection({ except, ...props }: Props & { except?: string | undefined }) {
  const query = useQuery({
    queryKey: ['monitors', 'overview', 'names'],
    queryFn: () => unwrap(api.GET('/api/monitors/overview', { params: { query: { limit: 5000 } } })),
  });
  return (
    <QueryResult query={query}>
      {({ monitors }) => (
        <Choices {...props} choices={monitors.filter(({ id }) => id !== except)} emptyText={texts.noMonitors} />
      )}
    </QueryResult>
  );
}

export function PageSelection(props: Props) {
  const path = { projectId: projectId() };
  const query = useQuery({
    queryKey: ['pages', path.projectId, 'names'],
    queryFn: () => unwrap(api.GET('/api/projects/{projectId}/status-pages', { params: { path, header: { 'X-Project-ID': path.projectId } } })),
  });
  return (
    <QueryResult query={query}>
      {({ status_pages: pages }) => <Choices {...props} choices={pages} emptyText={texts.noPages} />}
    </QueryResult>
  );
}

/** Selected options come first; typing filters the rest. */
export function Choices({ choices, selected, onSelect, emptyText }: Props & { choices: readonly Choice[]; emptyText: string }) {
  const [search, setSearch] = useState('');
  if (choices.length === 0) return <p class="faint">{emptyText}</p>;
  const selectedIds = new Set(selected);
  const matches = ({ name }: Choice) => name.toLowerCase().includes(search.toLowerCase());
  const shown = [...choices].filter((one) => matches(one) || selectedIds.has(one.id))
    .sort((one, other) => Number(selectedIds.has(other.id)) - Number(selectedIds.has(one.id)) || one.name.localeCompare(other.name));
  const toggle = (id: string) => onSelect(selectedIds.has(id) ? selected.filter((one) => one !== id) : [...selected, id]);
  return (
    <div class="choices">
      {choices.length > 10 && <TextField label={texts.search} type="search" value={search} onValue={setSearch} />}
      <p class="faint small" role="status">{texts.chosen(numberText(selected.length))}</p>
      <ul>
        {shown.slice(0, MAX_SHOWN).map(({ id, name }) => (
          <li key={id}><label><input type="checkbox" checked={selectedIds.has(id)} onChange={() => toggle(id)} /> {name}</label></li>
        ))}
      </ul>
      {shown.length > MAX_SHOWN && <p class="faint">{texts.more(shown.length - MAX_SHOWN)}</p>}
    </div>
  );
}
