import type { Command } from 'commander'
import { checkCommand } from './certs/check.ts'
import { csrCommand } from './certs/csr.ts'
import { exportCommand } from './certs/export.ts'
import { importCommand } from './certs/import.ts'
import { showCommand } from './certs/show.ts'
import { trustCommand } from './certs/trust.ts'
import { group } from './options.ts'

export function certsCommand(): Command {
  return group('certs', [csrCommand(), importCommand(), exportCommand(), showCommand(), checkCommand(), trustCommand()])
}
