/** Normalizes texts for searching: one line each, composed (NFC), in lower case. */
export function searchText(...texts: string[]): string {
  return texts.map(fold).join('\n');
}

/** A pattern that matches `text` literally in the output of `searchText`, ignoring case. */
export function searchPattern(text: string): string {
  return fold(text).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('\n', ' ');
}
