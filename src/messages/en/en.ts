import { COMMON } from './common.ts'

/** One line per area, and one file. */
export const EN = { common: COMMON } as const
