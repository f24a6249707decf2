import type { Command } from 'commander'
import { authorityCommand } from './certs/authority.ts'
import { checkCommand } from './certs/check.ts'
import { csrCommand } from './certs/csr.ts'
import { exportCommand } from './certs/export.ts'
import { importCommand } from './certs/import.ts'
import { issueCommand } from './certs/issue.ts'
import { revokeCommand } from './certs/revoke.ts'
import { showCommand } from './certs/show.ts'
import { signCommand } from './certs/sign.ts'
import { trustCommand } from './certs/trust.ts'
import { group } from './options.ts'

export function certsCommand(): Command {
  return group('certs', [
    ...[csrCommand(), importCommand(), exportCommand(), showCommand(), checkCommand(), trustCommand()],
    ...[authorityCommand(), issueCommand(), signCommand(), revokeCommand()],
  ])
}
