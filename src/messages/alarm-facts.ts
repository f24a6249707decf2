import type { Waiting } from '../domain/alarms/alarm-facts.ts'
import { plural, say } from './say.ts'
import type { Speaker } from './speaker.ts'

/** What an alarm says beside its reason, in messages and on the page. @param amount of the payments, as the language writes it */
export function waitingText(
  { payments, others, isMore }: Pick<Waiting, 'payments' | 'others' | 'isMore'>,
  amount: string,
  t: Speaker,
): string {
  const parts = [
    payments > 0 &&
      t.of(plural(payments, say`1 payment, ${{ amount }} in all`, say`{count} payments, ${{ amount }} in all`)),
    others > 0 && t`${{ others }} without an amount`,
  ]
  const what = parts.filter((part) => part !== false).join('; ')
  return isMore ? t`Waiting, the newest of more: ${{ what }}` : t`Waiting: ${{ what }}`
}
