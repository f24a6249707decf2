import { Command } from 'commander'
import { type ConfigOption, readServiceConfig, withConfig } from '../options.ts'
import { EXIT, print, printLine } from '../output.ts'
import { serviceAction } from './options.ts'
import { askService } from './own-status.ts'
import { isRefused, statusText } from './status-view.ts'

export function statusCommand(): Command {
  return withConfig(new Command('status'))
    .description('Show whether the service accepts credentials and certificate, the budget left, and tokens that wait')
    .option('--json', 'print one JSON object per environment')
    .addHelpText('after', '\nExit code: 0 nothing is refused, 1 the service or this machine refuses something.')
    .action(serviceAction(status))
}

async function status(options: ConfigOption & { readonly json?: boolean }): Promise<void> {
  const found = await askService(readServiceConfig(options), Date.now())
  if (options.json === true) for (const one of found) await printLine(one)
  else await print(found.length === 0 ? NONE : found.map(statusText).join('\n'))
  if (found.some(isRefused)) process.exitCode = EXIT.no
}

const NONE = `no environment has an entry under service in the configuration; config/portaria.yaml shows one\n`
