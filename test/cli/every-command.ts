import { Command } from 'commander'
import { vi } from 'vitest'

let commands: Promise<Command[]> | undefined

/** Every command that does something, as the program itself has them; it can be loaded once. */
export function everyCommand(): Promise<Command[]> {
  commands ??= loadCommands()
  return commands
}

async function loadCommands(): Promise<Command[]> {
  const { promise, resolve } = Promise.withResolvers<Command>()
  vi.spyOn(Command.prototype, 'parseAsync').mockImplementationOnce(async function (this: Command) {
    resolve(this)
    return this
  })
  await import('../../src/main.ts')
  vi.restoreAllMocks()
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
  return leaves(await promise)
}

/** Its words behind `portaria`. */
export function nameOf(command: Command): string {
  return command.parent?.parent == null ? command.name() : `${nameOf(command.parent)} ${command.name()}`
}
