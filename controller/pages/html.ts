/** Markup that may be inserted into a page as it is. Only `html` creates it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | Html[] | string | number | null;

/** Markup with every value escaped but `Html`; null inserts nothing. Attributes need double quotes. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.map((part, at) => part + toMarkup(values[at] ?? null)).join(''));
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
