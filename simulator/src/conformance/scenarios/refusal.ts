import type { FinishedCall } from '../../webhooks/receiver-call.ts'
import { judgeRefusal } from '../../webhooks/two-requests.ts'
import { outcomeText } from '../outcome-texts.ts'
import { type Bench, fail, type Judgement, pass, type Sending } from '../scenario.ts'
import { joined, type Text, text } from '../text.ts'

/** Sends a request that must be refused, and judges how it ended. @param caller the begin of the reason */
export async function mustRefuse(bench: Bench, caller: Text, sending: Sending): Promise<Judgement> {
  const finished = await bench.send({ ...sending, call: { ...sending.call, isStatusEnough: true } })
  return judgeRefused(caller, finished)
}

/** As the service counts it: a failed handshake, a closed connection and 4xx are refusals. */
export function judgeRefused(caller: Text, { outcome }: FinishedCall): Judgement {
  const verdict = judgeRefusal(outcome)
  const how = outcomeText(outcome)
  if (verdict.ok) return pass(joined([caller, how], ': '))
  const isAccepted = verdict.reason === 'accepted_without_certificate'
  const what = isAccepted ? text('accepted') : text('not refused')
  return fail(joined([joined([caller, what], ': '), how], ', '))
}

/** Of several requests of one scenario: the worst one decides. */
export function together(judgements: readonly Judgement[]): Judgement {
  const order = ['fail', 'warn', 'skip', 'pass'] as const
  const verdict = order.find((one) => judgements.some((judgement) => judgement.verdict === one)) ?? 'pass'
  const deciding = judgements.filter((judgement) => judgement.verdict === verdict)
  const reasons = new Map(deciding.map(({ reason }) => [reason.en, reason]))
  return { verdict, reason: joined([...reasons.values()]) }
}
