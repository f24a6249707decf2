import type { Answer } from '../../api/calls.ts'
import type { FormResult } from './page.ts'
import { Refused } from './refusals.ts'

/**
 * The body of a successful answer.
 * @throws Refused for a refusal, which becomes a page that shows the reason
 */
export function jsonOf<Json>(answer: Answer<Json>): Json {
  if (answer.status >= 400) throw new Refused(answer)
  return answer.json
}

/** The result of a form: its message, or the refusal, which the frame puts into words. */
export function resultOf(answer: Answer, location: string, message: string): FormResult {
  return answer.status >= 400 ? { kind: 'refused', location, answer } : { kind: 'redirect', location, message }
}
