import type { AlarmFailureView } from '../../api/alarms/view.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { type Html, html } from '../parts/html.ts'
import { quotedIn } from './reason-text.ts'

/** Why a channel did not send, and what to do. */
export function failureHtml({ code, words: quoted }: AlarmFailureView, { alarms, alarmPage }: Catalogue): Html {
  const { text, nextStep } = alarms.failures[code]
  return html`${quotedIn(text, quoted ?? '')}. ${alarmPage.nextStep}: ${nextStep}.`
}
