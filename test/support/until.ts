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
      throw new Error(`the condition did not come true within ${limitMs} ms; last value: ${JSON.stringify(value)}`)
    await wait(10)
  }
}
