/** Version of the probe, as reported in beats, results and the User-Agent. */
export const VERSION = '1.0.0-rc.1';
