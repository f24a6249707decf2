import type { Catalogue } from '../../messages/catalogue.ts'
import { Field, type FieldNotes, fieldAttributes, fieldNotes } from './fields.ts'
import { html } from './html.ts'
import { wallTime } from './period.ts'

interface TimeField {
  /** A time as it was typed. */
  readonly value: string
  /** To name the zone in a hint; left out: the field before it has the hint. */
  readonly words?: Catalogue
}

/** A labelled control for a time of the gateway's zone. Its name is also its id. */
export function timeField(name: string, label: string, { value, words }: TimeField): Field {
  const notes: FieldNotes = words === undefined ? {} : { hint: words.common.zone(zoneName()) }
  const wall = wallTime(value)
  const content = html`<p><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="datetime-local" value="${wall}"${fieldAttributes(name, notes)}>${fieldNotes(name, notes)}</p>`
  return new Field(content, label, wall.replace('T', ' '))
}

/** The zone of the gateway (`TZ`). */
function zoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
