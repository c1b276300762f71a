/** Values of the fields of a connection's facts that are unknown. */
export const BARE_FACTS = {
  valid_from: null, names: [] as string[], more_names: 0, problem: null, key: '', weak_signature: null,
};
