/** Markup that is safe to insert into a page. Only `html` creates it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | Html[] | string | number | null;

/** Escapes every value except `Html`; null inserts nothing. Attribute values must be in double quotes. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.map((part, at) => part + toMarkup(values[at] ?? null)).join(''));
}

/** Escapes text for markup and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function toMarkup(value: Value): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  return Array.isArray(value) ? value.map((one) => one.text).join('') : escapeHtml(String(value));
}
