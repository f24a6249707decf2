import { RULES_OF_BILLS } from './broken-rules/all.ts'
import { proveThatTestsFail } from './broken-rules/prove.ts'

proveThatTestsFail(RULES_OF_BILLS)
