/** Texts in the form that searches compare with: one line each, composed, in lower case. */
export function searchText(...texts: string[]): string {
  return texts.map(fold).join('\n');
}

/** A pattern that finds exactly `text`, without regard to case, in what `searchText` made. */
export function searchPattern(text: string): string {
  return fold(text).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('\n', ' ');
}
