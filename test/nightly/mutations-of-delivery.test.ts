import { proveThatTestsFail } from './mutations/prove.ts'
import { DELIVERY_MUTATIONS } from './mutations/delivery.ts'

proveThatTestsFail(DELIVERY_MUTATIONS)
