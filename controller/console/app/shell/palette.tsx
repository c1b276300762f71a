import { useQuery } from '@tanstack/preact-query';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { shellTexts } from '../texts/shell.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useNavigate } from '../ui/unsaved.ts';
import { pageCommands, type Command } from './commands.ts';
import { NAVIGATION_ITEMS } from './navigation-items.ts';

const MAX_MONITORS = 8;
const SEARCH_DEBOUNCE_MS = 150;

/** Searches pages, this page's actions and monitors, and opens or runs the selected one. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const listId = useId();
  const list = useRef<HTMLUListElement>(null);
  const monitors = useMonitors(typed.trim());
  const matches = ({ text, keywords = '' }: Command) =>
    typed.toLowerCase().split(/\s+/).every((term) => `${text} ${keywords}`.toLowerCase().includes(term));
  const pages = NAVIGATION_ITEMS.map(({ to, name, keys }) => ({
    text: shellTexts[name], keywords: keys ?? '', run: () => navigate(to),
  }));
  const groups = [
    { title: shellTexts.actions, found: pageCommands.value.flat().filter(matches) },
    { title: shellTexts.go, found: pages.filter(matches) },
    { title: shellTexts.monitors, found: monitors.map(({ id, name, target, type }) => ({
      text: name, keywords: type === 'HEARTBEAT' ? '' : target, run: () => navigate(`/monitors/${id}`),
    })) },
  ].filter(({ found }) => found.length > 0);
  const all: Command[] = groups.flatMap(({ found }) => found);
  const chosen = Math.min(at, all.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const run = (command: Command | undefined) => {
    onClose();
    command?.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && all.length > 0) {
      event.preventDefault();
      setAt((chosen + step + all.length) % all.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(all[chosen]);
    }
  };
  return (
    <Dialog title={shellTexts.palette} onClose={onClose} class="palette">
      <input
        autofocus type="search" role="combobox" aria-expanded="true" aria-controls={listId} aria-label={shellTexts.search}
        aria-activedescendant={all.length === 0 ? undefined : `${listId}-${chosen}`} placeholder={shellTexts.search}
        value={typed} onKeyDown={onKeyDown}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setAt(0);
        }}
      />
      <ul id={listId} ref={list} role="listbox" aria-label={shellTexts.palette}>
        {groups.map(({ title, found }) => (
          <li key={title} role="presentation">
            <p class="palette-group" aria-hidden="true">{title}</p>
            <ul role="presentation">
              {found.map((command) => {
                const index = all.indexOf(command);
                return (
                  <li
                    key={index} id={`${listId}-${index}`} role="option" aria-selected={index === chosen}
                    onPointerMove={() => setAt(index)} onClick={() => run(command)}
                  >{command.text} <span class="faint">{command.keywords}</span></li>
                );
              })}
            </ul>
          </li>
        ))}
        {all.length === 0 && <li role="presentation" class="faint">{shellTexts.noCommand}</li>}
      </ul>
    </Dialog>
  );
}

/** Monitors whose name or target matches, searched once typing has paused. */
function useMonitors(typed: string) {
  const [search, setSearch] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed), SEARCH_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data } = useQuery({
    queryKey: ['monitors', 'search', search], enabled: search.length > 0,
    queryFn: () => unwrap(api.GET('/api/monitors', { params: { query: { search, limit: MAX_MONITORS, sort_by: 'name', sort_order: 'asc' } } })),
  });
  return search === '' ? [] : data?.monitors ?? [];
}
