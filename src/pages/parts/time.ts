import { preciseLocalText } from '../../platform/local-time.ts'
import { TIMES_IN_TEXT } from '../../platform/time.ts'
import { type Html, html } from './html.ts'

const TO_SECONDS = 'YYYY-MM-DD hh:mm:ss'.length
const TO_MILLISECONDS = TO_SECONDS + '.sss'.length

/**
 * A time of the API (RFC 3339) in the gateway's zone, which the page names once; a module rewrites it to the browser's. Text that is no time stays as it is.
 * @param isPrecise with milliseconds
 */
export function timeOf(iso: string, isPrecise = false): Html {
  return isPrecise ? timeAs(iso, TO_MILLISECONDS, html` data-precise`) : timeAs(iso, TO_SECONDS)
}

/** A limit, such as the end of a certificate: with its day today too, where a list shows the clock alone of other times. */
export function limitOf(iso: string): Html {
  return timeAs(iso, TO_SECONDS, html` data-limit`)
}

function timeAs(iso: string, length: number, attribute: Html | null = null): Html {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return html`${iso}`
  return html`<time datetime="${iso}"${attribute}>${preciseLocalText(time).slice(0, length)}</time>`
}

/** A day that begins at this time: its date alone, where it begins at midnight in the zone of the page. */
export function dayOf(iso: string): Html {
  return html`<time datetime="${iso}" data-day>${preciseLocalText(Date.parse(iso)).slice(0, 'YYYY-MM-DD'.length)}</time>`
}

/** A text with its times (RFC 3339, UTC) in the form of all times. */
export function withTimes(text: string): Html {
  return html`${text.split(TIMES_IN_TEXT).map((part, index) => (index % 2 === 1 ? timeOf(part) : html`${part}`))}`
}

/** From the first of these times to the last; one of them alone, if they are equal. */
export function spanOf(times: readonly string[]): Html {
  const [first = '', ...others] = times.toSorted()
  const last = others.at(-1) ?? first
  return first === last ? timeOf(first) : html`${timeOf(first)} – ${timeOf(last)}`
}
