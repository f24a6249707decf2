import type { Speaker } from '../../messages/speaker.ts'
import { zoneText } from '../../platform/local-time.ts'
import { Field, type FieldNotes, fieldAttributes, fieldNotes } from './fields.ts'
import { html } from './html.ts'
import { typedTime, wallTime } from './period.ts'
import { timeOf } from './time.ts'

interface TimeField {
  /** A time as it was typed, or of the API. */
  readonly value: string
  /** To name the zone in a hint; left out: the field before it has the hint. */
  readonly t?: Speaker
}

/**
 * A labelled control for a time, in the gateway's zone. The module of all pages rewrites it to the zone of the browser, as the times of the page, and then sends
 * a moment. Its name is also its id. Text that is no time stays as it is.
 */
export function timeField(name: string, label: string, { value, t }: TimeField): Field {
  const notes: FieldNotes =
    t === undefined ? {} : { hint: html`${t`In the time zone`} <span data-zone>${zoneText(Date.now())}</span>` }
  const moment = typedTime(value)
  const time = Date.parse(moment ?? '')
  const isTime = !Number.isNaN(time)
  const content = html`<p><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="datetime-local" value="${isTime ? wallTime(time) : value}"${isTime && html` data-moment="${moment}"`}${fieldAttributes(name, notes)}>${fieldNotes(name, notes)}</p>`
  return new Field(content, label, isTime ? timeOf(moment ?? '') : value)
}
