import { it } from 'vitest'
import { RULES_OF_SUBSCRIPTIONS } from './broken-rules/all.ts'
import { proveThatTestFails } from './broken-rules/prove.ts'

it.each(RULES_OF_SUBSCRIPTIONS)('$rule: without it the test “$title” fails', proveThatTestFails)
