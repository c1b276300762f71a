/** The checkout. */
export const root: string;
