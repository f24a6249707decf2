import { resultOf } from '../frame/answers.ts'
import type { FormAction, FormRequest } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import { typedTime } from '../parts/period.ts'
import { ownerParameter } from './consumer.ts'
import { PLACES } from './detail.ts'

const LIST = '/ui/consumers'

const SEEK: FormAction = {
  path: '/consumers/:owner/:name/seek',
  async submit(request) {
    const { params, t } = request
    const answer = await request.ask('seekConsumer', { ...meantBy(request), body: placeIn(request.form) })
    const page = pathOf`/ui/consumers/${params.owner ?? ''}/${params.name ?? ''}`
    return resultOf(answer, answer.status === 404 ? LIST : page, t`${{ name: params.name ?? '' }} was moved.`)
  },
}

const DELETE: FormAction = {
  path: '/consumers/:owner/:name/delete',
  async submit(request) {
    const { params, t } = request
    const answer = await request.ask('deleteConsumer', meantBy(request))
    return resultOf(answer, LIST, t`${{ name: params.name ?? '' }} is deleted.`)
  },
}

function meantBy({ params, viewer, form }: FormRequest) {
  const owner = ownerParameter(params.owner, viewer)
  return { params: { name: params.name ?? '' }, query: { owner, reason: form.get('reason')?.trim() } }
}

/** As the API takes it. A place that needs a value and has none is refused there. */
function placeIn(form: URLSearchParams): { readonly position?: string; readonly time?: string } {
  const place = PLACES.find((one) => one === form.get('to')) ?? 'after'
  if (place === 'time') return { time: typedTime(form.get('time')) ?? '' }
  return { position: place === 'after' ? (form.get('after') ?? '').trim() : place }
}

export const CONSUMER_ACTIONS: readonly FormAction[] = [SEEK, DELETE]
