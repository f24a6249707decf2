import { it } from 'vitest'
import { RULES_OF_INTERFACES } from './broken-rules/all.ts'
import { proveThatTestFails } from './broken-rules/prove.ts'

it.each(RULES_OF_INTERFACES)('$rule: without it the test “$title” fails', proveThatTestFails)
