import { setTimeout as wait } from 'node:timers/promises'

/** Polls a condition, with a limit; the last value on success. */
export async function until<T>(
  read: () => T | Promise<T>,
  isEnough: (value: T) => boolean = Boolean,
  limitMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const value = await read()
    if (isEnough(value)) return value
    if (performance.now() > deadline)
      throw new Error(`the condition did not come true within ${limitMs} ms; last value: ${shown(value)}`)
    await wait(10)
  }
}

/** The report of a whole run has room for many failures. */
function shown(value: unknown): string {
  const text = String(JSON.stringify(value))
  return text.length > MAXIMUM ? `${text.slice(0, MAXIMUM)}… (${text.length} characters)` : text
}

const MAXIMUM = 2000
