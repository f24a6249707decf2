/** Minutes before each further try (service-decisions.md, the service's retries). */
const PRESETS: Readonly<Record<'short' | 'long', readonly number[]>> = {
  short: [0, 5, 5, 5, 10, 20, 40, 80, 160],
  long: [5, 10, 20, 40, 80, 160, 320, 640, 1280, 52_560],
}

/** @returns ms until the try after `tries` failed ones; undefined: the service gives up */
export function retryDelayMs(schedule: 'short' | 'long' | readonly number[], tries: number): number | undefined {
  const minutes = (typeof schedule === 'string' ? PRESETS[schedule] : schedule)[tries - 1]
  return minutes === undefined ? undefined : minutes * 60_000
}
