import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { TextField } from '../ui/field.tsx';
import { Shown } from '../ui/loading.tsx';
import { numberText } from '../ui/time.tsx';
import { projectId } from './windows.ts';

interface Props {
  chosen: readonly string[];
  onChosen: (ids: string[]) => void;
}

interface Choice {
  id: string;
  name: string;
}

const MOST_SHOWN = 200;

export function ChosenMonitors(props: Props) {
  const read = useQuery({
    queryKey: ['monitors', 'overview', 'names'],
    queryFn: () => answer(api.GET('/api/monitors/overview', { params: { query: { limit: 5000 } } })),
  });
  return <Shown of={read}>{({ monitors }) => <Choices {...props} choices={monitors} none={texts.noMonitors} />}</Shown>;
}

export function ChosenPages(props: Props) {
  const path = { projectId: projectId() };
  const read = useQuery({
    queryKey: ['pages', path.projectId, 'names'],
    queryFn: () => answer(api.GET('/api/projects/{projectId}/status-pages', { params: { path, header: { 'X-Project-ID': path.projectId } } })),
  });
  return <Shown of={read}>{({ status_pages: pages }) => <Choices {...props} choices={pages} none={texts.noPages} />}</Shown>;
}

/** Those that are chosen first, and what was typed narrows the rest. */
function Choices({ choices, chosen, onChosen, none }: Props & { choices: readonly Choice[]; none: string }) {
  const [typed, setTyped] = useState('');
  if (choices.length === 0) return <p class="faint">{none}</p>;
  const isChosen = new Set(chosen);
  const fits = ({ name }: Choice) => name.toLowerCase().includes(typed.toLowerCase());
  const shown = [...choices].filter((one) => fits(one) || isChosen.has(one.id))
    .sort((one, other) => Number(isChosen.has(other.id)) - Number(isChosen.has(one.id)) || one.name.localeCompare(other.name));
  const toggle = (id: string) => onChosen(isChosen.has(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <div class="choices">
      {choices.length > 10 && <TextField label={texts.search} type="search" value={typed} onValue={setTyped} />}
      <p class="faint small" role="status">{texts.chosen(numberText(chosen.length))}</p>
      <ul>
        {shown.slice(0, MOST_SHOWN).map(({ id, name }) => (
          <li key={id}><label><input type="checkbox" checked={isChosen.has(id)} onChange={() => toggle(id)} /> {name}</label></li>
        ))}
      </ul>
      {shown.length > MOST_SHOWN && <p class="faint">{texts.more(shown.length - MOST_SHOWN)}</p>}
    </div>
  );
}
