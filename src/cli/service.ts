import type { Command } from 'commander'
import { group } from './options.ts'
import { expectCommand } from './service/expect.ts'
import { gapsCommand } from './service/gaps.ts'
import { chargesCommand, subscriptionsCommand } from './service/move.ts'
import { openBankingCommand } from './service/open-banking.ts'
import { reconcileCommand } from './service/reconcile.ts'
import { statusCommand } from './service/status.ts'
import { webhooksCommand } from './service/webhooks.ts'

export function serviceCommand(): Command {
  return group('service', [
    statusCommand(),
    reconcileCommand(),
    expectCommand(),
    gapsCommand(),
    webhooksCommand(),
    openBankingCommand(),
    chargesCommand(),
    subscriptionsCommand(),
  ])
}
