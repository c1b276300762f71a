/** Text that may stand in a page as it is. Made by `html` only. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Value = Html | Html[] | string | number | null;

/** Markup in which every value is escaped, unless it is markup itself; null leaves nothing. Attributes must stand in double quotes. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.map((part, at) => part + (at < values.length ? toMarkup(values[at] as Value) : '')).join(''));
}

/** Text for markup and for attributes in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function toMarkup(value: Value): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  return Array.isArray(value) ? value.map((one) => one.text).join('') : escapeHtml(String(value));
}
