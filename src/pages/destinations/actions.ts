import type { DeliveryWait } from '../../domain/delivery.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { ApiAnswer, FormAction, FormRequest, FormResult } from '../frame/page.ts'
import { pathOf, withQuery } from '../frame/path-of.ts'
import { html } from '../parts/html.ts'
import type { ShownDestination } from './destination.ts'

const LIST = '/ui/destinations'

/** Where a person goes on: to the object, or to the list if it vanished meanwhile. */
function after(answer: ApiAnswer, path: string): string {
  return answer.status === 404 ? LIST : path
}

function pathOfPage({ params }: FormRequest): string {
  return `${LIST}/${encodeURIComponent(params.id ?? '')}`
}

/** Asks the endpoint of this name, with the reason that the person gave. */
function change(request: FormRequest, action: 'pause' | 'resume' | 'rotate-secret' | 'test', body?: object) {
  const path = pathOf`/v1/destinations/${request.params.id ?? ''}/${action}`
  const reason = request.form.get('reason')?.trim()
  return request.ask({ method: 'POST', path: withQuery(path, { reason }), ...(body !== undefined && { body }) })
}

const PAUSE: FormAction = {
  path: '/destinations/:id/pause',
  async submit(request) {
    const answer = await change(request, 'pause')
    const { paused } = request.words.destinations
    return resultOf(answer, after(answer, pathOfPage(request)), paused(nameIn(answer)))
  },
}

const RESUME: FormAction = {
  path: '/destinations/:id/resume',
  async submit(request) {
    const answer = await change(request, 'resume')
    const { resumed } = request.words.destinations
    return resultOf(answer, after(answer, pathOfPage(request)), resumed(nameIn(answer)))
  },
}

interface TestOutcome {
  readonly ok: boolean
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
  readonly answer: string
}

const TEST: FormAction = {
  path: '/destinations/:id/test',
  async submit(request) {
    const answer = await change(request, 'test')
    const location = after(answer, pathOfPage(request))
    if (answer.status >= 400) return resultOf(answer, location, '')
    const { ok, status, error, durationMs, answer: text } = jsonOf<TestOutcome>(answer)
    const { testGood, testBad, testAnswer } = request.words.destinations
    const ms = String(Math.round(durationMs))
    const outcome = ok ? testGood(String(status), ms) : testBad(error ?? `HTTP ${status}`, ms)
    return { kind: 'redirect', location, message: outcome + (text === '' ? '' : testAnswer(text)), isError: !ok }
  },
}

/** The secret is in the answer to the form alone: no address, no message and no log has it. */
const ROTATE: FormAction = {
  path: '/destinations/:id/rotate',
  async submit(request) {
    const overlap = request.form.get('overlap')?.trim()
    const answer = await change(request, 'rotate-secret', overlap ? { overlap } : {})
    if (answer.status >= 400) return resultOf(answer, after(answer, pathOfPage(request)), '')
    return { kind: 'page', view: secretPage(request, jsonOf<ShownDestination & { secret: string }>(answer)) }
  },
}

function secretPage(request: FormRequest, { name, secret }: { readonly name: string; readonly secret: string }) {
  const { destinations } = request.words
  return {
    title: destinations.rotated,
    body: html`<h1>${destinations.rotated}</h1>
<p role="status">${destinations.rotatedText(name)}</p>
<p><label for="secret">${destinations.newSecret}</label>
<input id="secret" class="secret" readonly value="${secret}" autocomplete="off" spellcheck="false"></p>
<p><a class="button" href="${pathOfPage(request)}">${destinations.toDestination}</a></p>`,
  }
}

const RETRY: FormAction = {
  path: '/deliveries/:id/retry',
  async submit(request) {
    const { retried, retriedBehind } = request.words.destinations.deliveries
    const { waits } = request.words.deliveries
    const answer = await changeDelivery(request, 'retry')
    if (answer.status >= 400) return resultOf(answer, deliveriesPage(request), '')
    const { waitsFor } = jsonOf<{ waitsFor: DeliveryWait | null }>(answer)
    const id = request.params.id ?? ''
    const message = waitsFor === null ? retried(id) : retriedBehind(id, waits[waitsFor])
    return resultOf(answer, deliveriesPage(request), message)
  },
}

const SKIP: FormAction = {
  path: '/deliveries/:id/skip',
  async submit(request): Promise<FormResult> {
    const { skipped } = request.words.destinations.deliveries
    return resultOf(await changeDelivery(request, 'skip'), deliveriesPage(request), skipped(request.params.id ?? ''))
  },
}

function changeDelivery({ ask, params, form }: FormRequest, action: 'retry' | 'skip') {
  const path = pathOf`/v1/deliveries/${params.id ?? ''}/${action}`
  return ask({ method: 'POST', path: withQuery(path, { reason: form.get('reason')?.trim() }) })
}

/** The list that the person came from. */
function deliveriesPage({ form }: FormRequest): string {
  const destination = form.get('destination') ?? ''
  if (!/^dst_[0-9]+$/.test(destination)) return LIST
  return withQuery(`${LIST}/${destination}`, { state: form.get('state') })
}

function nameIn({ json }: ApiAnswer): string {
  return String((json as { name?: unknown } | null)?.name ?? '')
}

export const DESTINATION_ACTIONS: readonly FormAction[] = [PAUSE, RESUME, TEST, ROTATE, RETRY, SKIP]
