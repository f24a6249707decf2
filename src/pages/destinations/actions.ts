import type { Answer } from '../../api/calls.ts'
import { DELIVERY_CHANGES } from '../../api/deliveries/contract.ts'
import { DESTINATION_CHANGES } from '../../api/destinations/contract.ts'
import type { DeliveryWait } from '../../domain/delivery.ts'
import { inContext, type Said, say } from '../../messages/say.ts'
import { printable } from '../../platform/control-characters.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, FormRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { meantBy, plainForm } from '../frame/plain-form.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { html } from '../parts/html.ts'
import { secretView } from '../parts/secret-view.ts'
import { LIST } from './destination.ts'
import { CHANGE_DESTINATION } from './edit.ts'
import { CREATE_DESTINATION } from './new.ts'
import { REGISTER_FOR_APP } from './new-registration.ts'
import { secretIn } from './settings.ts'

const WAITS: Readonly<Record<DeliveryWait, Said>> = {
  subject: say`waits for an earlier event with its reference`,
  resume: inContext('page', say`waits: the destination is paused`),
  circuit: say`waits: the destination accepts nothing at the moment`,
}

/** Where a person goes on: to the object, or to the list if it vanished meanwhile. */
function after(answer: Answer, path: string): string {
  return answer.status === 404 ? LIST : path
}

function pathOfPage({ params }: FormRequest): string {
  return `${LIST}/${encodeURIComponent(params.id ?? '')}`
}

const PAUSE = plainForm(DESTINATION_CHANGES.pauseDestination, {
  path: '/destinations/:id/pause',
  leadsTo: pathOfPage,
  list: LIST,
  says: ({ name }, { t }) => t`${{ name }} is paused. Its deliveries wait.`,
})

const RESUME = plainForm(DESTINATION_CHANGES.resumeDestination, {
  path: '/destinations/:id/resume',
  leadsTo: pathOfPage,
  list: LIST,
  says: ({ name }, { t }) => t`${{ name }} is resumed.`,
})

const DELETE: FormAction = {
  path: '/destinations/:id/delete',
  async submit(request) {
    const answer = await request.ask('deleteDestination', meantBy(request))
    const isGone = answer.status < 400 || answer.status === 404
    const name = request.form.get('name') ?? ''
    const list = request.form.get('origin') === 'registration' ? '/ui/registrations' : LIST
    return resultOf(answer, isGone ? list : pathOfPage(request), request.t`${{ name }} is deleted.`)
  },
}

const TEST: FormAction = {
  path: '/destinations/:id/test',
  async submit(request) {
    const answer = await request.ask('testDestination', {
      ...meantBy(request),
      body: { kind: request.form.get('kind') ?? undefined },
    })
    const location = after(answer, pathOfPage(request))
    if (answer.status >= 400) return resultOf(answer, location, '')
    const { ok, status, error, durationMs, answer: text } = jsonOf(answer)
    const { t } = request
    const ms = String(Math.round(durationMs))
    const outcome =
      error === null
        ? t`The test event was accepted: HTTP ${{ status: String(status) }} in ${{ ms }} ms.`
        : html`${t`The test event failed after ${{ ms }} ms`}: ${forwardingHtml(error, request.t)}.`
    const said = text !== '' && html` ${t`Answer`}: ${printable(text)}`
    return { kind: 'redirect', location, message: html`${outcome}${said}`, isError: !ok }
  },
}

/** The secret is in the answer to the form alone: no address, no message and no log has it. */
const ROTATE: FormAction = {
  path: '/destinations/:id/rotate',
  async submit(request) {
    const overlap = request.form.get('overlap')?.trim()
    const answer = await request.ask('rotateDestinationSecret', {
      ...meantBy(request),
      body: { ...(overlap && { overlap }), ...secretIn(request.form) },
    })
    if (answer.status >= 400) return resultOf(answer, after(answer, pathOfPage(request)), '')
    return { kind: 'page', view: secretPage(request, jsonOf(answer)) }
  },
}

function secretPage(request: FormRequest, { name, secret }: { readonly name: string; readonly secret: string }) {
  const { t } = request
  return secretView(t`New secret`, {
    text: t.in('destination')`${{ name }} has a new secret. It is shown only now. Copy it before you leave this page.`,
    values: [{ id: 'secret', label: t`New secret`, value: secret }],
    back: [pathOfPage(request), t`Back to the destination`],
  })
}

const RETRY = plainForm(DELIVERY_CHANGES.retryDelivery, {
  path: '/deliveries/:id/retry',
  leadsTo: deliveriesPage,
  says({ waitsFor }, { params: { id = '' }, t }) {
    if (waitsFor === null) return t`${{ id }} is due now.`
    return t`${{ id }} is pending again. It ${{ waits: t.of(WAITS[waitsFor]) }}.`
  },
})

const SKIP = plainForm(DELIVERY_CHANGES.skipDelivery, {
  path: '/deliveries/:id/skip',
  leadsTo: deliveriesPage,
  says: (_, { params: { id = '' }, t }) => t`${{ id }} is canceled and will not be sent.`,
})

/** The list that the person came from. */
function deliveriesPage({ form }: FormRequest): string {
  const destination = form.get('destination') ?? ''
  if (!/^dst_[0-9]+$/.test(destination)) return LIST
  return withQuery(`${LIST}/${destination}`, { state: form.get('state') })
}

export const DESTINATION_ACTIONS: readonly FormAction[] = [
  CREATE_DESTINATION,
  CHANGE_DESTINATION,
  REGISTER_FOR_APP,
  PAUSE,
  RESUME,
  DELETE,
  TEST,
  ROTATE,
  RETRY,
  SKIP,
]
