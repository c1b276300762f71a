/** Version of the probe's software, as it stands in beats, results and the User-Agent. */
export const VERSION = '1.0.0-rc.1';
