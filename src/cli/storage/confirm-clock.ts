import { Command } from 'commander'
import type { View } from '../../api/http/schema-parts.ts'
import type { confirmedClockSchema } from '../../api/retention/schema.ts'
import { withChanges } from '../control-client.ts'
import { type ChangeOption, withReason } from '../options.ts'
import { action, printResult } from '../output.ts'

type ConfirmedClock = View<typeof confirmedClockSchema>

export function confirmClockCommand(): Command {
  return withReason(new Command('confirm-clock'))
    .description(
      'Confirm that the clock is right after a long pause; until then nothing is removed or expired by age. Compare it with another clock first',
    )
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nCompare the clock first: date --utc')
    .action(action(confirmClock))
}

async function confirmClock(options: ChangeOption): Promise<void> {
  const confirmed = await withChanges(options, (call) => call<ConfirmedClock>('POST', '/v1/storage/confirm-clock'))
  const effect = confirmed.wasImplausible
    ? 'removal and expiry by age continue'
    : 'it was not in doubt, nothing changes'
  await printResult(options, confirmed, `the clock says ${confirmed.clock}: ${effect}\n`)
}
