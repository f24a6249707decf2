import { type DetailCode, filledIn, type Reason } from '../../domain/overview/reasons.ts'
import { detailsIn } from '../../messages/reasons.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { type Html, html } from '../parts/html.ts'
import { withTimes } from '../parts/time.ts'

/** A text of a reason with its values. English words of others in it are marked. @param template as in `ReasonText` */
export function reasonWithQuotes(
  template: string,
  reason: Pick<Reason, 'subject' | 'value' | 'detail' | 'until'>,
  t: Speaker,
): Html {
  const [before = '', ...others] = template.split('{detail}')
  const filled = (part: string) => withTimes(filledIn(part, { ...reason, detail: null }))
  return html`${filled(before)}${others.map((part) => html`${detailHtml(reason.detail ?? '', t)}${filled(part)}`)}`
}

function detailHtml(detail: string, t: Speaker): Html | string {
  const [, code = '', others = ''] = /^([a-z_]+)(?:: (.*))?$/s.exec(detail) ?? []
  const details = detailsIn(t)
  if (Object.hasOwn(details, code)) return quotedIn(details[code as DetailCode], others)
  return /^\d/.test(detail) ? withTimes(detail) : forwardingHtml(detail, t)
}

/** A text with words of others in the place of `{words}`. */
export function quotedIn(template: string, quoted: string): Html {
  const [before = '', ...others] = template.split(/“?\{words\}”?/)
  return html`${before}${others.map((part) => html`<q lang="en">${quoted}</q>${part}`)}`
}
