import type { FinishedCall } from '../../webhooks/receiver-call.ts'
import { isSuccess } from '../../webhooks/two-requests.ts'
import { outcomeText } from '../outcome-texts.ts'
import { type Bench, fail, type Judgement, pass, type Sending } from '../scenario.ts'
import { joined, type Text } from '../text.ts'

/** Sends a callback that must be answered with 2xx. @param what the begin of the reason */
export async function mustAccept(bench: Bench, what: Text, sending: Sending = {}): Promise<Judgement> {
  return judgeAccepted(what, await bench.send(sending))
}

function judgeAccepted(what: Text, { outcome }: FinishedCall): Judgement {
  const reason = joined([what, outcomeText(outcome)], ': ')
  return isSuccess(outcome) ? pass(reason) : fail(reason)
}
