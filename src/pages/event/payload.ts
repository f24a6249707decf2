import type { Catalogue } from '../../messages/catalogue.ts'
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
  words: Catalogue,
  { original, curl = null }: { readonly original: boolean; readonly curl?: Html | null },
): Html {
  const { payload } = words.event
  const link =
    original && event.callback !== null && event.payloadRemovedAt === null
      ? html`<p><a href="${`/ui/api${pathOf`/v1/events/${event.id}/original`}`}" download="${bodyFileOf(event)}">${payload.original}</a></p>`
      : null
  return html`<section aria-labelledby="payload"><h2 id="payload">${payload.title}</h2>
${contentOf(event, answer, words)}
${curl}${link}</section>`
}

/** Name of the file in which a browser saves the callback. */
export function bodyFileOf({ id, callback }: Pick<EventView, 'id' | 'callback'>): string {
  return `${callback ?? id}.body`
}

function contentOf(event: WithPayload, answer: string, words: Catalogue): Html {
  const { payload } = words.event
  if (event.payloadRemovedAt !== null) return html`<p>${payload.removed} ${timeOf(event.payloadRemovedAt)}.</p>`
  if (event.dataBase64 !== undefined)
    return html`<p>${payload.binary(Buffer.byteLength(event.dataBase64, 'base64'))}</p>`
  const bytes = Buffer.from(answer)
  const span = locate(bytes, { start: 0, end: bytes.length }, ['data'])
  if (span === null) return html`<p>${payload.none}</p>`
  const raw = textOf(bytes, span)
  if (typeof event.data === 'string') return block(event.data, { label: payload.text, visible: printable }, words)
  const json = { visible: printableJson }
  return html`${block(prettyJson(raw, LONGEST_PRETTY), { ...json, label: payload.pretty }, words)}
<details><summary>${payload.raw}</summary>${block(raw, { ...json, label: payload.raw }, words)}</details>`
}

function block(
  text: string,
  { label, visible }: { readonly label: string; readonly visible: (text: string) => string },
  words: Catalogue,
): Html {
  const { text: shown, isCut } = cutText(text, visible)
  if (!isCut && shown === text) return copiedBlock(text, label, words)
  return html`<pre tabindex="0" role="region" aria-label="${label}">${shown}</pre>
${isCut && html`<p class="hint">${words.event.payload.cut}</p>`}`
}
