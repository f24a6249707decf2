import { proveThatTestsFail } from './mutations/prove.ts'
import { STORING_MUTATIONS } from './mutations/storing.ts'

proveThatTestsFail(STORING_MUTATIONS)
