/** How metrics are written: as Prometheus text or as OpenMetrics. */
export type Format = 'text' | 'openmetrics';

export const CONTENT_TYPES: Record<Format, string> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

export interface Family {
  name: string;
  /** A counter's name ends in `_total`. */
  type: 'gauge' | 'counter';
  help: string;
}

/** The format that the Accept header prefers. OpenMetrics must be named, because browsers accept anything. */
export function preferredFormat(accept = ''): Format {
  const weights = new Map(accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1';
    return [type, Number(weight)] as const;
  }).reverse());
  const openMetrics = weights.get('application/openmetrics-text') ?? 0;
  return openMetrics > 0 && openMetrics >= (weights.get('text/plain') ?? 0) ? 'openmetrics' : 'text';
}

/** The lines before a family's samples. OpenMetrics names a counter without `_total`. */
export function headerOf({ name, type, help }: Family, format: Format): string {
  const shown = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
  return `# HELP ${shown} ${help}\n# TYPE ${shown} ${type}\n`;
}

/** What ends the metrics. */
export function endOf(format: Format): string {
  return format === 'openmetrics' ? '# EOF\n' : '';
}

const SPECIAL = /[\\"\n]/;

/** A label's value as it is written between quotes. */
export function escapeLabel(value: string): string {
  if (!SPECIAL.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
