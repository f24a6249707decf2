import { DELIVERY_MUTATIONS } from './delivery.ts'
import type { Mutation } from './mutation.ts'
import { RECEIVING_MUTATIONS } from './receiving.ts'
import { STORING_MUTATIONS } from './storing.ts'
import { TLS_MUTATIONS } from './tls.ts'

export const MUTATIONS: readonly Mutation[] = [
  ...RECEIVING_MUTATIONS,
  ...TLS_MUTATIONS,
  ...DELIVERY_MUTATIONS,
  ...STORING_MUTATIONS,
]
