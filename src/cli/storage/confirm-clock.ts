import { Command } from 'commander'
import { STORAGE_STATES } from '../../api/retention/contract.ts'
import { withChanger } from '../caller.ts'
import { type ChangeOption, withReason } from '../options.ts'
import { action, printResult } from '../output.ts'

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
  const confirmed = await withChanger(options, ({ ask }) => ask(STORAGE_STATES.confirmClock))
  const effect = confirmed.wasImplausible
    ? 'removal and expiry by age continue'
    : 'it was not in doubt, nothing changes'
  await printResult(options, confirmed, `the clock says ${confirmed.clock}: ${effect}\n`)
}
