import { Command } from 'commander'
import { findClient } from '../../api/clients/registry.ts'
import type { clientView } from '../../api/clients/view.ts'
import { openAuthority } from '../../certificates/authority/authority.ts'
import { PortariaError } from '../../platform/errors.ts'
import { askOrRead } from '../control-client.ts'
import { action, printResult } from '../output.ts'
import { type AuthorityOption, authorityFolderOf } from './authority-place.ts'
import { filesText, RENEWED, viewOf, withIssueOptions } from './issue.ts'
import { type IssueOptions, issueWithKey, requireFileName } from './issued-files.ts'

type View = ReturnType<typeof clientView>

export function clientCertificateCommand(): Command {
  return withIssueOptions(new Command('certificate'))
    .description('Issue a client certificate from the private authority that serves this client alone')
    .argument('<name>', 'name or id')
    .action(action(issueForClient))
}

async function issueForClient(named: string, options: AuthorityOption & IssueOptions): Promise<void> {
  const { id, name } = await openClientNamed(named, options)
  requireFileName(name)
  const authority = await openAuthority(authorityFolderOf(options), new Date())
  const issued = await issueWithKey(authority, { use: 'app', name, alternativeNames: [], client: id }, options)
  const next = `\nNext: give these files to the app. The API accepts the certificate for no other client; see api.clientCa and api.clientCrl.\n${RENEWED}\n`
  await printResult(options, viewOf(issued), filesText(issued) + next)
}

/** @throws PortariaError `conflict` for a client that is revoked */
export async function openClientNamed(named: string, options: AuthorityOption): Promise<{ id: string; name: string }> {
  const { id, name, isRevoked } = await clientNamed(named, options)
  if (isRevoked) throw new PortariaError('conflict', `the client ${name} is revoked, and gets no certificate`)
  return { id, name }
}

/** From the running gateway, or from the database. */
function clientNamed(named: string, options: AuthorityOption) {
  return askOrRead(options, {
    async ask(call) {
      const { clientId: id, name, revokedAt } = await call<View>('GET', `/v1/clients/${encodeURIComponent(named)}`)
      return { id, name, isRevoked: revokedAt !== null }
    },
    async read(reader) {
      const { id, name, revokedAt } = findClient(await reader.listClients({ revoked: true }), named)
      return { id, name, isRevoked: revokedAt !== null }
    },
  })
}
