import type { Texts } from '../../translator.ts'
import { REPORT } from '../report/report.ts'
import { COMMANDER } from './commander.ts'
import { AUTHORITY_HELP } from './help/authority.ts'
import { CERTIFICATES_HELP } from './help/certificates.ts'
import { DESTINATIONS_HELP } from './help/destinations.ts'
import { HELP_ENDINGS } from './help/endings.ts'
import { EVENTS_HELP } from './help/events.ts'
import { RUNNING_HELP } from './help/running.ts'
import { SERVICE_HELP } from './help/service.ts'
import { STORAGE_HELP } from './help/storage.ts'
import { MESSAGES } from './messages/messages.ts'

/**
 * What the command line says, by its English text with values as `{name}`. Of several that fit a text, the one with the most text counts. To add a text,
 * write it into the file of its area; the edge of the command line (`fail`, `tell`, `printHint`, `printResult`, `printText`, the help) translates it.
 */
export const TEXTS: Texts = {
  ...REPORT,
  ...COMMANDER,
  ...RUNNING_HELP,
  ...CERTIFICATES_HELP,
  ...AUTHORITY_HELP,
  ...EVENTS_HELP,
  ...DESTINATIONS_HELP,
  ...STORAGE_HELP,
  ...SERVICE_HELP,
  ...HELP_ENDINGS,
  ...MESSAGES,
}
