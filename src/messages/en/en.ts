import { COMMON } from './common.ts'
import { DELIVERIES } from './deliveries.ts'
import { EVENT } from './event.ts'
import { FIND } from './find.ts'
import { FRAME } from './frame.ts'

/** One line per area, and one file. */
export const EN = {
  common: COMMON,
  frame: FRAME,
  find: FIND,
  event: EVENT,
  deliveries: DELIVERIES,
} as const
