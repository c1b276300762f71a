/** What the facts of a connection say when nothing more is known of its certificate. */
export const BARE_FACTS = {
  valid_from: null, names: [] as string[], more_names: 0, problem: null, key: '', weak_signature: null,
};
