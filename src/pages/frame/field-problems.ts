import type { Answer } from '../../api/calls.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { problemsByField } from './problem.ts'

/** A form as a person fills it in: new, or as it was sent, with what the API refused. */
export interface FilledForm {
  /** Of a field with one value. */
  value(name: string): string
  /** Of boxes. */
  values(name: string): readonly string[]
  /** What is wrong with a field; null: nothing. */
  problem(name: string): string | null
  /** The refusal; null: the form was not sent. */
  readonly refusal: Answer | null
}

/** @param given the values by field, with which the form begins */
export function newForm(given: Readonly<Record<string, string | readonly string[]>>): FilledForm {
  const valuesOf = (name: string) => [given[name] ?? []].flat()
  return { value: (name) => valuesOf(name)[0] ?? '', values: valuesOf, problem: () => null, refusal: null }
}

/** What the person typed, with the problems at their fields. */
export function refusedForm(form: URLSearchParams, refusal: Answer, t: Speaker): FilledForm {
  const problems = problemsByField(refusal, t)
  return {
    value: (name) => form.get(name) ?? '',
    values: (name) => form.getAll(name),
    problem: (name) => problems.get(name) ?? null,
    refusal,
  }
}
