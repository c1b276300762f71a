/** Version of the probe, as reported in beats, results and the User-Agent. */
export const VERSION = '0.1.0';
