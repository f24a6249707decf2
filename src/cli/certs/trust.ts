import type { Command } from 'commander'
import { group } from '../options.ts'
import { activateCommand, retireCommand } from './trust-changes.ts'
import { fetchCommand } from './trust-fetch.ts'
import { listCommand } from './trust-list.ts'
import { diffCommand, stageCommand } from './trust-staging.ts'

export function trustCommand(): Command {
  return group('trust', [
    listCommand(),
    stageCommand(),
    diffCommand(),
    fetchCommand(),
    activateCommand(),
    retireCommand(),
  ]).description('Manage the certificate chains of the service, whose callers are accepted, for each environment')
}
