import { COMMON } from './common.ts'
import { FIND } from './find.ts'
import { FRAME } from './frame.ts'

/** One line per area, and one file. */
export const EN = {
  common: COMMON,
  frame: FRAME,
  find: FIND,
} as const
