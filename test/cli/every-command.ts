import { Command } from 'commander'

let commands: Promise<Command[]> | undefined

/** Every command that does something, as the program itself has them; it can be loaded once. */
export function everyCommand(): Promise<Command[]> {
  commands ??= loadCommands()
  return commands
}

async function loadCommands(): Promise<Command[]> {
  const { promise, resolve } = Promise.withResolvers<Command>()
  const { parseAsync } = Command.prototype
  Command.prototype.parseAsync = async function (this: Command) {
    resolve(this)
    return this
  }
  // `help` loads all of them.
  const { argv } = process
  process.argv = [...argv.slice(0, 2), 'help']
  await import('../../src/main.ts')
  process.argv = argv
  Command.prototype.parseAsync = parseAsync
  const leaves = (command: Command): Command[] => {
    const below = command.commands.flatMap(leaves)
    return below.length === 0 || hasAction(command) ? [command, ...below] : below
  }
  return leaves(await promise)
}

/** A command with commands below it can do something itself, as `simulator` does. */
function hasAction(command: Command): boolean {
  return (command as unknown as { _actionHandler: unknown })._actionHandler !== null
}

/** Its words behind `portaria`. */
export function nameOf(command: Command): string {
  return command.parent?.parent == null ? command.name() : `${nameOf(command.parent)} ${command.name()}`
}
