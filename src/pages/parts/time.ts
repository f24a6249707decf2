import { localText, preciseLocalText } from '../../platform/local-time.ts'
import { type Html, html } from './html.ts'

/**
 * A time of the API (RFC 3339) in the gateway's zone; a module rewrites it to the browser's. Text that is no time stays as it is.
 * @param isPrecise with milliseconds
 */
export function timeOf(iso: string, isPrecise = false): Html {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return html`${iso}`
  const text = isPrecise ? preciseLocalText(time) : localText(time)
  return html`<time datetime="${iso}"${isPrecise && html` data-precise`}>${text}</time>`
}
