import type { Texts } from '../../translator.ts'
import { REPORT } from '../report/report.ts'
import { COMMANDER } from './commander.ts'
import { CERTIFICATES_HELP } from './help/certificates.ts'
import { DESTINATIONS_HELP } from './help/destinations.ts'
import { HELP_ENDINGS } from './help/endings.ts'
import { EVENTS_HELP } from './help/events.ts'
import { RUNNING_HELP } from './help/running.ts'
import { SERVICE_HELP } from './help/service.ts'
import { SIMULATOR_HELP } from './help/simulator.ts'
import { STORAGE_HELP } from './help/storage.ts'
import { API_MESSAGES } from './messages/api.ts'
import { CERTIFICATES_MESSAGES } from './messages/certificates.ts'
import { CONFIGURATION_MESSAGES } from './messages/configuration.ts'
import { OPTIONS_MESSAGES } from './messages/options.ts'
import { RESULTS_MESSAGES } from './messages/results.ts'
import { RULES_MESSAGES } from './messages/rules.ts'
import { SERVICE_MESSAGES } from './messages/service.ts'
import { STORAGE_MESSAGES } from './messages/storage.ts'
import { SYSTEM_MESSAGES } from './messages/system.ts'
import { VALUES_MESSAGES } from './messages/values.ts'

/**
 * What the command line says, by its English text with values as `{name}`. Of several that fit a text, the one with the most text counts. To add a text,
 * write it into the file of its area; the edge of the command line (`fail`, `tell`, `printHint`, `printResult`, `printText`, the help) translates it.
 */
export const TEXTS: Texts = {
  ...REPORT,
  ...COMMANDER,
  ...RUNNING_HELP,
  ...CERTIFICATES_HELP,
  ...EVENTS_HELP,
  ...DESTINATIONS_HELP,
  ...STORAGE_HELP,
  ...SERVICE_HELP,
  ...SIMULATOR_HELP,
  ...HELP_ENDINGS,
  ...API_MESSAGES,
  ...CERTIFICATES_MESSAGES,
  ...CONFIGURATION_MESSAGES,
  ...OPTIONS_MESSAGES,
  ...RESULTS_MESSAGES,
  ...RULES_MESSAGES,
  ...SERVICE_MESSAGES,
  ...STORAGE_MESSAGES,
  ...SYSTEM_MESSAGES,
  ...VALUES_MESSAGES,
}
