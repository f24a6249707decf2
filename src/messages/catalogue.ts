import type { EN } from './en/en.ts'

/** All texts for people, grouped by area. A text with values is a function. Each language has every text: the compiler demands it. */
export type Catalogue = Translated<typeof EN>

/** The same keys, with texts of any content. */
type Translated<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...values: infer A) => string
      ? (...values: A) => string
      : Translated<T[K]>
}
