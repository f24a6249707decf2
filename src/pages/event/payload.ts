import type { Speaker } from '../../messages/speaker.ts'
import { printable, printableJson } from '../../platform/control-characters.ts'
import { locate, textOf } from '../../platform/json-text.ts'
import { pathOf } from '../frame/path-of.ts'
import { cutText } from '../parts/cut-text.ts'
import { type Html, html } from '../parts/html.ts'
import { timeOf } from '../parts/time.ts'
import { copiedBlock } from './copied.ts'
import type { EventView } from './model.ts'
import { prettyJson } from './pretty-json.ts'

const LONGEST_PRETTY = 200_000

type WithPayload = Pick<EventView, 'id' | 'callback' | 'payloadRemovedAt' | 'data' | 'dataBase64'>

/**
 * The data of an event: indented, and as received.
 * @param answer text of the API's answer, because parsed numbers would be rounded
 * @param original whether the person may read the whole callback
 */
export function payloadSection(
  event: WithPayload,
  answer: string,
  t: Speaker,
  { original, curl = null }: { readonly original: boolean; readonly curl?: Html | null },
): Html {
  const link =
    original && event.callback !== null && event.payloadRemovedAt === null
      ? html`<p><a href="${`/ui/api${pathOf`/v1/events/${event.id}/original`}`}" download="${bodyFileOf(event)}">${t`Download the whole callback as received`}</a></p>`
      : null
  return html`<section aria-labelledby="payload"><h2 id="payload">${t`Payload`}</h2>
${contentOf(event, answer, t)}
${curl}${link}</section>`
}

/** Name of the file in which a browser saves the callback. */
export function bodyFileOf({ id, callback }: Pick<EventView, 'id' | 'callback'>): string {
  return `${callback ?? id}.body`
}

function contentOf(event: WithPayload, answer: string, t: Speaker): Html {
  if (event.payloadRemovedAt !== null)
    return html`<p>${t`The data was removed on`} ${timeOf(event.payloadRemovedAt)}.</p>`
  if (event.dataBase64 !== undefined)
    return html`<p>${t`The payload is ${{ bytes: Buffer.byteLength(event.dataBase64, 'base64') }} bytes that are neither UTF-8 nor UTF-16 nor text in the charset of its content type. If it is JSON, the sender must name its charset there.`}</p>`
  const bytes = Buffer.from(answer)
  const span = locate(bytes, { start: 0, end: bytes.length }, ['data'])
  if (span === null) return html`<p>${t`There is no payload.`}</p>`
  const raw = textOf(bytes, span)
  if (typeof event.data === 'string')
    return block(event.data, { label: t`Payload, which is not JSON`, visible: printable }, t)
  const json = { visible: printableJson }
  return html`${block(prettyJson(raw, LONGEST_PRETTY), { ...json, label: t`Indented payload` }, t)}
<details><summary>${t`As received`}</summary>${block(raw, { ...json, label: t`As received` }, t)}</details>`
}

function block(
  text: string,
  { label, visible }: { readonly label: string; readonly visible: (text: string) => string },
  t: Speaker,
): Html {
  const { text: shown, isCut } = cutText(text, visible)
  if (!isCut && shown === text) return copiedBlock(text, label, t)
  return html`<pre tabindex="0" role="region" aria-label="${label}">${shown}</pre>
${isCut && html`<p class="hint">${t`The rest is not shown here.`}</p>`}`
}
