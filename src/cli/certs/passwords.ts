import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import type { Command } from 'commander'
import { type PasswordSource, passwordIn } from '../../certificates/files/password.ts'
import { say } from '../../platform/said.ts'
import { translated } from '../language/language.ts'
import { readOptionFile } from '../option-files.ts'
import { wrongUsage } from '../output.ts'

export interface PasswordOptions {
  readonly passwordFile?: string
  readonly passwordCredential?: string
}

/** A password is never an argument: every user of the machine can read arguments. */
export function withPasswordOptions(command: Command): Command {
  return command
    .option('--password-file <file>', 'file with the password (default: asked on the terminal)')
    .option('--password-credential <name>', 'systemd credential with the password, in $CREDENTIALS_DIRECTORY')
}

/** The password from the place that the options name, else from the terminal; read once. */
export function passwordsFrom(options: PasswordOptions): PasswordSource {
  const file = passwordFileOf(options)
  if (file === null) return askOnTerminal
  const password = passwordIn(readOptionFile('the password file', file))
  return async () => password
}

/** A new password, never empty; a person types it twice. */
export async function newPassword(options: PasswordOptions, what: string): Promise<string> {
  const passwords = passwordsFrom(options)
  const password = await passwords(what)
  if (password === '') throw wrongUsage(say`the password for ${{ what }} is empty: choose one`)
  if (passwords === askOnTerminal && (await askOnTerminal(`${what}, again`)) !== password)
    throw wrongUsage(say`the two passwords are not the same: nothing was written`)
  return password
}

/** Whether the options name a place for the password. */
export function hasPasswordOption(options: PasswordOptions): boolean {
  return options.passwordFile !== undefined || options.passwordCredential !== undefined
}

function passwordFileOf({ passwordFile, passwordCredential }: PasswordOptions): string | null {
  if (passwordFile !== undefined && passwordCredential !== undefined)
    throw wrongUsage(say`--password-file and --password-credential exclude each other: leave one of them out`)
  if (passwordCredential === undefined) return passwordFile ?? null
  const folder = process.env.CREDENTIALS_DIRECTORY
  if (folder === undefined)
    throw wrongUsage(
      say`--password-credential needs a unit with LoadCredential=: CREDENTIALS_DIRECTORY is not set; or use --password-file FILE`,
    )
  if (!/^[\w.@-]+$/.test(passwordCredential) || passwordCredential.startsWith('.'))
    throw wrongUsage(
      say`--password-credential "${{ name: passwordCredential }}" is not a credential name: give the name alone`,
    )
  return join(folder, passwordCredential)
}

async function askOnTerminal(what: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw wrongUsage(
      say`${{ what }} needs a password, and there is no terminal to ask for it: give --password-file FILE or --password-credential NAME`,
    )
  try {
    return await readSilently(process.stdin, `${translated(say`Password of ${{ what }}:`)} `)
  } finally {
    process.stderr.write('\n')
  }
}

/** One line from the terminal, without echo: also of what is typed as soon as the prompt is there. */
function readSilently(terminal: typeof process.stdin, prompt: string): Promise<string> {
  const decoder = new StringDecoder('utf8')
  let typed = ''
  terminal.setRawMode(true)
  process.stderr.write(prompt)
  terminal.resume()
  return new Promise<string>((done, reject) => {
    function read(bytes: Buffer): void {
      for (const character of decoder.write(bytes)) {
        if (character === '\r' || character === '\n' || character === '\x04') return end(() => done(typed))
        if (character === '\x03') return end(() => reject(wrongUsage(say`canceled: nothing was written`)))
        if (character === '\x7f' || character === '\b') typed = [...typed].slice(0, -1).join('')
        else typed += character
      }
    }
    function end(answer: () => void): void {
      terminal.off('data', read)
      terminal.setRawMode(false)
      terminal.pause()
      answer()
    }
    terminal.on('data', read)
  })
}
