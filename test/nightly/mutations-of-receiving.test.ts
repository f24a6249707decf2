import { proveThatTestsFail } from './mutations/prove.ts'
import { RECEIVING_MUTATIONS } from './mutations/receiving.ts'

proveThatTestsFail(RECEIVING_MUTATIONS)
