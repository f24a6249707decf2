import type { Catalogue } from '../catalogue.ts'
import { COMMON } from './common.ts'

export const PT: Catalogue = { common: COMMON }
