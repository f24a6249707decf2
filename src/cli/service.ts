import type { Command } from 'commander'
import { group } from './options.ts'
import { chargesCommand, subscriptionsCommand } from './service/move.ts'
import { openBankingCommand } from './service/open-banking.ts'
import { statusCommand } from './service/status.ts'
import { webhooksCommand } from './service/webhooks.ts'

export function serviceCommand(): Command {
  return group('service', [
    statusCommand(),
    webhooksCommand(),
    openBankingCommand(),
    chargesCommand(),
    subscriptionsCommand(),
  ])
}
