/**
 * Work that computes a part of the index, which takes up to a second. It yields every few milliseconds, so that its thread answers reads meanwhile, and has
 * no statement or transaction open then: what it has read may be different by its end. The writer compares that before it takes the result.
 */
export type InParts<T> = Generator<void, T>

/** All of it at once. */
export function inOnePart<T>(work: InParts<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
