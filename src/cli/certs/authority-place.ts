import type { Command } from 'commander'
import {
  type CertificateRecord,
  type RecordState,
  type RevocationReason,
  stateOf,
} from '../../certificates/authority/records.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { type ConfigOption, withConfig } from '../options.ts'

export interface AuthorityOption extends ConfigOption {
  readonly authority?: string
}

export function withAuthority(command: Command): Command {
  return withConfig(withFolder(command))
}

/** For commands that take `--config` already. */
export function withFolder(command: Command): Command {
  return command.option(
    '--authority <dir>',
    'folder of the private authority (default: certificates.authority of the configuration)',
  )
}

/** The folder that the option names, else that of the configuration. */
export async function authorityFolderOf(options: AuthorityOption): Promise<string> {
  if (options.authority !== undefined) return options.authority
  const { readConfig } = await import('../config-file.ts')
  const { certificates, file } = readConfig(options)
  if (certificates.authority !== null) return certificates.authority
  throw new PortariaError(
    'configuration_invalid',
    say`${{ file }} names no private authority: give --authority DIR, or add certificates.authority`,
  )
}

/** A certificate of the authority, for people and programs. */
export interface IssuedView {
  readonly serial: string
  readonly name: string
  readonly for: string
  /** Of the API; null: of none. */
  readonly client: string | null
  readonly notBefore: string
  readonly notAfter: string
  readonly state: RecordState
  readonly revokedAt: string | null
  readonly reason: RevocationReason | null
}

export function issuedView(record: CertificateRecord, all: readonly CertificateRecord[], now: number): IssuedView {
  const { serial, name, use, client, notBefore, notAfter, revocation } = record
  return {
    serial,
    name,
    for: use,
    client,
    notBefore,
    notAfter,
    state: stateOf(record, all, now),
    revokedAt: revocation?.revokedAt ?? null,
    reason: revocation?.reason ?? null,
  }
}
