import type { Texts } from '../translator.ts'
import { COMMANDER } from './commander.ts'
import { HELP } from './help.ts'
import { MESSAGES } from './messages.ts'
import { OPERATIONS } from './operations.ts'
import { SYSTEM } from './system.ts'

/** What the command line says, by its English text with values as `{name}`. Of several that fit a text, the one with the most text counts. */
export const TEXTS: Texts = { ...COMMANDER, ...HELP, ...MESSAGES, ...OPERATIONS, ...SYSTEM }
