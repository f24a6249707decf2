import { type Command, Option } from 'commander'
import { KEY_TYPES, type KeyType } from '../../certificates/files/signing-request.ts'
import { wholeNumber } from '../options.ts'
import { withAuthority } from './authority-place.ts'
import { type PasswordOptions, withPasswordOptions } from './passwords.ts'

/** A year; at two thirds of it the gateway renews its own. */
export const ISSUED_DAYS = 365

export interface IssueOptions extends PasswordOptions {
  readonly out: string
  readonly days: number
  readonly keyType: KeyType
  readonly p12?: boolean
}

export function withIssueOptions(command: Command): Command {
  return withPasswordOptions(withAuthority(command))
    .option('--out <dir>', 'folder for its files', '.')
    .option('--days <n>', 'how long it is valid; never longer than the authority', wholeNumber, ISSUED_DAYS)
    .addOption(new Option('--key-type <type>', 'type of its key').choices(KEY_TYPES).default('p256'))
    .option('--p12', 'also a .p12 file; without an option for its password, a new one is written to a file beside it')
    .option('--json', 'print one JSON object')
}
