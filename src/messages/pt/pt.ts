import type { Catalogue } from '../catalogue.ts'
import { COMMON } from './common.ts'
import { DELIVERIES } from './deliveries.ts'
import { EVENT } from './event.ts'
import { FIND } from './find.ts'
import { FRAME } from './frame.ts'

export const PT: Catalogue = {
  common: COMMON,
  frame: FRAME,
  find: FIND,
  event: EVENT,
  deliveries: DELIVERIES,
}
