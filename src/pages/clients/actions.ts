import { CLIENT_CHANGES as CONTRACTS } from '../../api/clients/contract.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, FormRequest } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import { meantBy, plainForm } from '../frame/plain-form.ts'
import { LIST } from './client.ts'
import { clientSecret } from './secret.ts'

const ROTATE: FormAction = {
  path: '/clients/:id/rotate',
  async submit(request) {
    const grace = request.form.get('grace')?.trim()
    const answer = await request.ask('rotateClient', { ...meantBy(request), body: grace ? { grace } : {} })
    if (answer.status >= 400) return resultOf(answer, answer.status === 404 ? LIST : pageOf(request), '')
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

const REVOKE = plainForm(CONTRACTS.revokeClient, {
  path: '/clients/:id/revoke',
  leadsTo: pageOf,
  list: LIST,
  says: ({ name }, { t }) => t`${{ name }} is revoked.`,
})

function pageOf({ params }: FormRequest): string {
  return pathOf`/ui/clients/${params.id ?? ''}`
}

export const CLIENT_CHANGES: readonly FormAction[] = [ROTATE, REVOKE]
