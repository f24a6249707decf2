import type { Texts } from '../../translator.ts'
import { COMMANDER } from './commander.ts'

/**
 * What the command line says, by its English text with values as `{name}`. Of several that fit a text, the one with the most text counts. To add a text,
 * write it into the file of its area; the edge of the command line (`fail`, `tell`, `printResult`, `print` of `translatedLines`, the help) translates it.
 */
export const TEXTS: Texts = { ...COMMANDER }
