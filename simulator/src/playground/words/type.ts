import type { EN } from './en.ts'

/** What the pages say in one language. */
export type Words = typeof EN
