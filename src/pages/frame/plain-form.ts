import type { Answer } from '../../api/calls.ts'
import type { AnswerOf, Contract } from '../../api/http/contract.ts'
import type { Endpoints } from '../../api/operations.ts'
import { jsonOf, resultOf } from './answers.ts'
import type { FormAction, FormRequest } from './page.ts'

/** Where a form is, where the person goes on, and what the person then reads. */
interface PlainForm<C extends Contract> {
  readonly path: string
  readonly leadsTo: (request: FormRequest) => string
  /** Where the person goes on if there is no such object; left out: where `leadsTo` says. */
  readonly list?: string
  readonly says: (done: AnswerOf<C>, request: FormRequest) => string
}

/** A form that asks one operation about the object of its path. */
export function plainForm<C extends Contract & { readonly id: keyof Endpoints }>(
  { id }: C,
  { path, leadsTo, list, says }: PlainForm<C>,
): FormAction {
  return {
    path,
    async submit(request) {
      const answer: Answer = await request.ask(id, meantBy(request) as object)
      const location = answer.status === 404 && list !== undefined ? list : leadsTo(request)
      return resultOf(answer, location, answer.status < 400 ? says(jsonOf(answer) as AnswerOf<C>, request) : '')
    },
  }
}

/** The object of the path, and the reason that the person gave. */
export function meantBy({ params, form }: FormRequest) {
  return { params: { id: params.id ?? '' }, query: { reason: form.get('reason')?.trim() } }
}
