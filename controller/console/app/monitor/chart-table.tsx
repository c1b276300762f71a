import { useState } from 'preact/hooks';
import type { ChartData } from '../charts/chart-data.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { msText, Time } from '../ui/time.tsx';

const MAX_ROWS = 200;

/** The numbers of a chart, newest first, for screen readers. Rendered when opened. */
export function ChartTable({ times, lines }: ChartData) {
  const [isOpen, setOpen] = useState(false);
  const rows = isOpen ? times.map((at, index) => ({ at, index })).slice(-MAX_ROWS).reverse() : [];
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{monitorTexts.asTable}</summary>
      {isOpen && (
        <div class="table-wrap chart-table" tabIndex={0} role="group" aria-label={monitorTexts.asTable}>
          <table>
            <thead><tr><th scope="col">{monitorTexts.when}</th>{lines.map(({ name }) => <th key={name} scope="col" class="number">{name}</th>)}</tr></thead>
            <tbody>
              {rows.map(({ at, index }) => (
                <tr key={at}>
                  <th scope="row"><Time at={at} /></th>
                  {lines.map(({ name, values, displayValues = values }) => {
                    const value = displayValues[index];
                    return <td key={name} class="number">{value === null || value === undefined ? '–' : msText(value)}</td>;
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
