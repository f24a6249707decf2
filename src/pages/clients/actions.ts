import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, FormRequest } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import { LIST } from './client.ts'
import { clientSecret } from './secret.ts'

const ROTATE: FormAction = {
  path: '/clients/:id/rotate',
  async submit(request) {
    const grace = request.form.get('grace')?.trim()
    const answer = await request.ask('rotateClient', { ...meantBy(request), body: grace ? { grace } : {} })
    if (answer.status >= 400) return resultOf(answer, pageAfter(answer.status, request), '')
    const issued = jsonOf(answer)
    return {
      kind: 'page',
      view: clientSecret(
        request,
        issued,
        request.t`${{ name: issued.name }} has a new secret. It is shown only now. Copy it before you leave this page.`,
      ),
    }
  },
}

const REVOKE: FormAction = {
  path: '/clients/:id/revoke',
  async submit(request) {
    const answer = await request.ask('revokeClient', meantBy(request))
    const name = answer.status === 200 ? jsonOf(answer).name : ''
    return resultOf(answer, pageAfter(answer.status, request), request.t`${{ name }} is revoked.`)
  },
}

function meantBy({ params, form }: FormRequest) {
  return { params: { id: params.id ?? '' }, query: { reason: form.get('reason')?.trim() } }
}

/** The client, or the list if there is no such client. */
function pageAfter(status: number, { params }: FormRequest): string {
  return status === 404 ? LIST : pathOf`/ui/clients/${params.id ?? ''}`
}

export const CLIENT_CHANGES: readonly FormAction[] = [ROTATE, REVOKE]
