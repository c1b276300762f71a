/** Name and target in the form that a search compares with: composed, in lower case, a line each. */
export function searchText(name: string, target: string): string {
  return `${fold(name)}\n${fold(target)}`;
}

/** A pattern for `searchText` that matches exactly what was typed, whatever its case. */
export function searchPattern(typed: string): string {
  return fold(typed).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
