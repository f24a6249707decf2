import { locate, textOf } from '../../platform/json-text.ts'
import type { PageRequest } from '../frame/page.ts'
import { type Html, html } from '../parts/html.ts'
import { copiedBlock } from './copied.ts'
import { curlOf } from './curl.ts'
import type { EventDetail } from './model.ts'
import { bodyFileOf } from './payload.ts'

/** Of a body that the command carries: a page stays small. */
const MOST_BYTES = 8192
/** Of the command in HTML. */
const MOST_CHARACTERS = 30_000

/**
 * The callback as a command that sends it again, with the data that the page shows. null: there was none, or its data was removed.
 * @param answer text of the API's answer that holds the event
 */
export async function callbackSection(request: PageRequest, event: EventDetail, answer: string): Promise<Html | null> {
  const { t } = request
  const { target, headers, tlsVersion, bodyRemovedAt } = event.evidence
  if (event.callback === null || target === null || bodyRemovedAt !== null || event.payloadRemovedAt !== null)
    return null
  const body = request.viewer.can('events.read') ? await originalOf(request, event) : shownOf(event, answer)
  if (body === null) return null
  const isInFile = body === 'file'
  const name = bodyFileOf(event)
  const sent = { isTls: tlsVersion !== null, target, headers, body: isInFile ? new Uint8Array() : body }
  const command = curlOf(sent, isInFile ? name : null)
  const isTooLong = String(html`${command}`).length > MOST_CHARACTERS
  return html`<details><summary>${t`The callback as a curl command`}</summary>
<p class="hint">${t`For a POSIX shell. It sends no client certificate: for a gateway add --cert and --key, or write the URL of a test receiver.`}${isInFile && ` ${t`The body is not in the command: download the callback first, as ${{ name }}.`}`}</p>
${isTooLong ? html`<p>${t`The callback is too long for this page.`}</p>` : copiedBlock(command, t`curl command`, request.t)}</details>`
}

/** `file`: it is too long for the page, which has a link to it. */
async function originalOf({ ask }: PageRequest, event: EventDetail): Promise<Uint8Array | 'file' | null> {
  if (event.evidence.bytes > MOST_BYTES) return 'file'
  return (await ask('showOriginal', { params: { id: event.id } })).content ?? null
}

/** What a person without events.read sees of it: masked data, or that of the one fact of an event that was unmasked. */
function shownOf(event: EventDetail, answer: string): Uint8Array | null {
  if (event.source !== 'callback') return null
  if (event.dataBase64 !== undefined) return Buffer.from(event.dataBase64, 'base64')
  if (event.mark === 'unparsed' && event.masked !== true) return Buffer.from(String(event.data))
  const bytes = Buffer.from(answer)
  const span = locate(bytes, { start: 0, end: bytes.length }, ['data'])
  return span === null ? null : Buffer.from(textOf(bytes, span))
}
