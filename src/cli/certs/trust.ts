import type { Command } from 'commander'
import { group } from '../options.ts'
import { activateCommand, retireCommand } from './trust-changes.ts'
import { fetchCommand } from './trust-fetch.ts'
import { listCommand } from './trust-list.ts'
import { diffCommand, stageCommand } from './trust-staging.ts'

export function trustCommand(): Command {
  return group(
    'trust',
    'Manage the certificate chains of the service, whose callers are accepted, for each environment',
    [listCommand(), stageCommand(), diffCommand(), fetchCommand(), activateCommand(), retireCommand()],
  )
}
