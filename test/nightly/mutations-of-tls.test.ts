import { proveThatTestsFail } from './mutations/prove.ts'
import { TLS_MUTATIONS } from './mutations/tls.ts'

proveThatTestsFail(TLS_MUTATIONS)
