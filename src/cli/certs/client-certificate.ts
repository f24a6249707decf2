import { Command } from 'commander'
import { CLIENT_READS } from '../../api/clients/contract.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { withCaller } from '../caller.ts'
import { action, printResult } from '../output.ts'
import { type AuthorityOption, authorityFolderOf } from './authority-place.ts'
import { type IssueOptions, withIssueOptions } from './issue-options.ts'

export function clientCertificateCommand(): Command {
  return withIssueOptions(new Command('certificate'))
    .description('Issue a client certificate from the private authority that serves this client alone')
    .argument('<name>', 'name or id')
    .action(action(issueForClient))
}

async function issueForClient(named: string, options: AuthorityOption & IssueOptions): Promise<void> {
  const { openAuthority } = await import('../../certificates/authority/authority.ts')
  const { filesText, RENEWED, viewOf } = await import('./issue.ts')
  const { issueWithKey, requireFileName } = await import('./issued-files.ts')
  const { id, name } = await openClientNamed(named, options)
  requireFileName(name)
  const authority = await openAuthority(await authorityFolderOf(options), new Date())
  const issued = await issueWithKey(authority, { use: 'app', name, alternativeNames: [], client: id }, options)
  const next = `\nNext: give these files to the app. The API accepts the certificate for no other client; see api.clientCa and api.clientCrl.\n${RENEWED}\n`
  await printResult(options, viewOf(issued), filesText(issued) + next)
}

/** @throws PortariaError `conflict` for a client that is revoked */
export async function openClientNamed(named: string, options: AuthorityOption): Promise<{ id: string; name: string }> {
  const { showClient } = CLIENT_READS
  const {
    clientId: id,
    name,
    revokedAt,
  } = await withCaller(options, ({ ask }) => ask(showClient, { segments: { id: named } }))
  if (revokedAt !== null)
    throw new PortariaError('conflict', say`the client ${{ name }} is revoked, and gets no certificate`)
  return { id, name }
}
