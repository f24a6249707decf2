import type { AlarmFailureView } from '../../api/alarms/view.ts'
import { ALARM_FAILURES } from '../../domain/alarms/failure.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { type Html, html } from '../parts/html.ts'
import { quotedIn } from './reason-text.ts'

/** Why a channel did not send, and what to do. */
export function failureHtml({ code, words: quoted }: AlarmFailureView, t: Speaker): Html {
  const { text, nextStep } = ALARM_FAILURES[code]
  return html`${quotedIn(t.template(text), quoted ?? '')}. ${t`Next step`}: ${t.template(nextStep)}.`
}
