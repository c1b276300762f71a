import { useState } from 'preact/hooks';
import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { Checkbox } from '../ui/field.tsx';
import { href } from '../ui/link.ts';
import { Table } from '../ui/table.tsx';
import { numberText, Time } from '../ui/time.tsx';
import { recurrenceText } from './recurrence-text.ts';
import { sortWindows, type Window } from './windows.ts';

const WINDOW_STATES = { active: 'maintenance', scheduled: 'unknown', over: 'unknown' } as const;

export function WindowTable({ windows }: { windows: Window[] }) {
  const [showsFinished, setShowsFinished] = useState(false);
  const hasFinished = windows.some(({ status }) => status === 'over');
  const shown = sortWindows(windows).filter(({ status }) => showsFinished || status !== 'over');
  return (
    <>
      {hasFinished && <Checkbox label={texts.showFinished} value={showsFinished} onValue={setShowsFinished} />}
      <Table columns={[texts.state, texts.window, texts.next, texts.repeats, { number: texts.monitors }]}>
        {shown.map((window) => {
          const { starts_at: from, ends_at: to } = window.occurrence ?? window;
          return (
            <tr key={window.id}>
              <td><span class={`state-badge ${WINDOW_STATES[window.status]}`}>{texts[window.status]}</span></td>
              <th scope="row" class="wide"><a href={href(`/maintenance/${window.id}`)}>{window.title}</a></th>
              <td><Time at={from} format="minute" /> – <Time at={to} format="minute" /></td>
              <td>{recurrenceText(window.recurrence)}</td>
              <td class="number" data-label={texts.monitors}>{numberText(window.monitor_ids.length)}</td>
            </tr>
          );
        })}
      </Table>
    </>
  );
}
