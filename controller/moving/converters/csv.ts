import { MONITOR_TYPES } from '../../../shared/contracts/check-spec.ts';
import type { Conversion } from '../conversion.ts';
import { FileRefused, type Converter } from '../converter.ts';
import type { Draft } from '../fit-monitor.ts';

const COLUMNS = ['name', 'type', 'target', 'interval_seconds', 'group', 'tags'] as const;
const REQUIRED = ['name', 'type'] as const;
const DEFAULT_INTERVAL_S = 60;
/** How late a heartbeat may be, s. */
const DEFAULT_GRACE_S = 3600;

interface Row {
  line: number;
  cells: string[];
}

/** A table with one monitor in each row. */
export const csv: Converter = {
  title: 'a CSV table of monitors',
  recognizes: (source) => source.kind === 'text' && headerOf(source.text) !== null,
  convert: (source, into) => {
    if (source.kind !== 'text') return;
    const header = headerOf(source.text);
    if (header === null) throw new FileRefused(`The first line must name the columns ${COLUMNS.join(', ')}`);
    const others = header.names.filter((name) => !COLUMNS.some((column) => column === name));
    if (others.length > 0) into.skip('header', `These columns are ignored: ${others.join(', ')}.`);
    const rows = rowsOf(source.text, header.separator);
    rows.next();
    for (const row of rows) addRow(row, header.names, into);
  },
};

/** The columns, and what separates them: `;` if the first line has no comma. Null if it is no header. */
function headerOf(text: string): { names: string[]; separator: string } | null {
  const [line = ''] = text.split(/\r?\n/, 1);
  const separator = line.includes(';') && !line.includes(',') ? ';' : ',';
  const [first] = rowsOf(line, separator);
  const names = (first?.cells ?? []).map((name) => name.toLowerCase());
  return REQUIRED.every((name) => names.includes(name)) ? { names, separator } : null;
}

/** Rows as RFC 4180 describes them, without empty lines and space around cells. */
function* rowsOf(text: string, separator: string): Generator<Row, undefined> {
  let [cell, line, start, isQuoted] = ['', 1, 1, false];
  let cells: string[] = [];
  const endCell = () => {
    cells.push(cell.trim());
    cell = '';
  };
  const endRow = (): Row[] => {
    endCell();
    const row = { line: start, cells };
    cells = [];
    start = line;
    return row.cells.some((one) => one !== '') ? [row] : [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string;
    if (char === '\n') line += 1;
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (char === '"' && cell.trim() === '') isQuoted = true;
    else if (char === separator) endCell();
    else if (char === '\n') yield* endRow();
    else if (char !== '\r') cell += char;
  }
  yield* endRow();
}

function addRow({ line, cells }: Row, names: readonly string[], into: Conversion): void {
  const cell = (name: (typeof COLUMNS)[number]) => cells[names.indexOf(name)] ?? '';
  const [name, type, target] = [cell('name') || cell('target'), cell('type').toUpperCase(), cell('target')];
  const skip = (reason: string) => into.skip(name || `line ${line}`, `Line ${line}: ${reason}`);
  const known = MONITOR_TYPES.find((one) => one === type);
  const interval = cell('interval_seconds') === '' ? null : Number(cell('interval_seconds'));
  if (cells.length > names.length) return skip('It has more cells than the first line.');
  if (name === '') return skip('The name is empty.');
  if (known === undefined) return skip(`The type must be one of ${MONITOR_TYPES.join(', ')}.`);
  if (known === 'KEYWORD') return skip('A KEYWORD monitor needs keywords, for which there is no column.');
  if (known !== 'HEARTBEAT' && target === '') return skip('The target is empty.');
  if (interval !== null && !(Number.isInteger(interval) && interval > 0)) return skip('interval_seconds must be a whole number.');
  const tags = cell('tags').split(/[,;]/).map((tag) => tag.trim()).filter((tag) => tag !== '');
  into.addMonitor({
    name, type: known, ...settingsOf(known, target, interval), ...(tags.length > 0 ? { tags } : {}),
    ...(cell('group') === '' ? {} : { group: into.shareGroup(cell('group')) }),
  }, [], `Line ${line}: `);
}

function settingsOf(type: Draft['type'], target: string, interval: number | null): Partial<Draft> {
  if (type === 'HEARTBEAT') return { heartbeat_interval: interval ?? undefined, grace_period: DEFAULT_GRACE_S };
  return {
    target, interval_seconds: interval ?? DEFAULT_INTERVAL_S, ...(type === 'DNS' ? { record_entries: [{ type: 'A' }] } : {}),
  };
}
