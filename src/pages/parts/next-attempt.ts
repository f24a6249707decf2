import type { ShownDelivery } from '../../domain/whereabouts.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { sentencesOf } from '../../messages/where.ts'
import type { Html } from './html.ts'
import { timeOf } from './time.ts'
import { sentenceHtml } from './where-html.ts'

/** What a delivery waits for, or when it is due; null: it has ended. */
export function nextAttemptOf(delivery: ShownDelivery, t: Speaker): Html | null {
  const { waitsFor, nextAttemptAt } = delivery
  if (waitsFor === null) return nextAttemptAt === null ? null : timeOf(nextAttemptAt)
  const [sentence] = sentencesOf([delivery], t)
  return sentence === undefined ? null : sentenceHtml(sentence)
}
