import { Command, InvalidArgumentError } from 'commander'
import type { ControlAccess } from '../control-api/access.ts'
import { SimulatorError } from '../errors.ts'
import { errorPrefix, translated } from './command-names.ts'
import { readControlToken } from './control-token.ts'
import { ctlCommand } from './ctl.ts'
import { inLanguage } from './help-language.ts'
import { hostWarning } from './host-warning.ts'
import { action, print, printLine } from './output.ts'
import { playCommand } from './play.ts'

export { speak } from './command-names.ts'
export { conformanceCommand } from './conformance.ts'
export { triggerCommand } from './trigger.ts'

interface SimulatorFlags {
  readonly port: number
  readonly controlPort: number
  readonly controlHost?: string
  readonly controlTokenFile?: string
  readonly host?: string
  readonly folder: string
  readonly keep?: boolean
  readonly settings?: string
  readonly receiverCa?: string
  readonly json?: boolean
}

export function simulatorCommand(): Command {
  const command = new Command('simulator')
    .description('Run a simulated service, to try and test everything without a contract; never for production')
    .option('--port <n>', 'port of the sandbox; production answers on the next one', portNumber, 9443)
    .option('--control-port <n>', 'port of the control API and of the playground', portNumber, 9445)
    .option(
      '--control-host <address>',
      'address of the control API and of the playground (default: 127.0.0.1 and ::1); needs --control-token-file',
    )
    .option('--control-token-file <file>', 'file with the token that every request to the control port has to have')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1 and ::1); another one lets other machines in')
    .option(
      '--folder <folder>',
      'folder of its certificates and applications, made at the first start',
      'data/simulator',
    )
    .option('--keep', 'keep its state in simulator.db of the folder (default: in memory)')
    .option('--settings <file>', 'settings, YAML (docs/start.md of the simulator lists them)')
    .option('--receiver-ca <file>', "authorities of receivers' server certificates besides the public ones, PEM")
    .option('--json', 'print addresses, credentials and files as one JSON object')
    .enablePositionalOptions()
    .allowExcessArguments()
    .action(action(run))
    .addCommand(ctlCommand())
    .addCommand(playCommand())
  return inLanguage(command)
}

/** @throws SimulatorError for an address beyond loopback without a token */
function controlAccessOf({ controlHost, controlTokenFile }: SimulatorFlags): ControlAccess {
  const token = controlTokenFile === undefined ? null : readControlToken(controlTokenFile)
  if (controlHost !== undefined && token === null)
    throw new SimulatorError(
      'settings_invalid',
      `--control-host ${controlHost} needs --control-token-file: write a token of at least 16 characters into a file, ` +
        'for example with: openssl rand -hex 32',
    )
  return { host: controlHost ?? null, token }
}

async function run(flags: SimulatorFlags, command: Command): Promise<void> {
  refuseArguments(command)
  // The control command needs none of it, and starts in half the time.
  const { startSimulator } = await import('../service/simulator.ts')
  const { bannerOf, summaryOf } = await import('./banner.ts')
  const stopped = untilStopSignal()
  requireOtherPorts(flags)
  const warning = hostWarning(flags.host)
  if (warning !== null) process.stderr.write(`${errorPrefix()}${translated(warning)}\n`)
  const controlAccess = controlAccessOf(flags)
  const simulator = await startSimulator({
    port: flags.port,
    host: flags.host ?? null,
    folder: flags.folder,
    isKept: flags.keep === true,
    controlPort: flags.controlPort,
    controlAccess,
    settingsFile: flags.settings ?? null,
    receiverCaFile: flags.receiverCa ?? null,
    report: (error) => process.stderr.write(`${String((error as Error).stack ?? error)}\n`),
  })
  await (flags.json === true
    ? printLine(summaryOf(simulator))
    : print(bannerOf(simulator, flags.receiverCa !== undefined)))
  await stopped
  await simulator.stop()
}

/** Commander takes an unknown command for an argument, because the command without one starts the simulator. */
function refuseArguments(command: Command): void {
  const [name] = command.args
  if (name === undefined) return
  const names = command.commands.map((one) => one.name()).join(', ')
  command.error(`error: unknown command '${name}': give ${names}, or none to start`)
}

/** @throws SimulatorError where the simulator would find its own port in use */
function requireOtherPorts({ port, controlPort }: SimulatorFlags): void {
  if (port === 0 || controlPort === 0 || controlPort < port || controlPort > port + 1) return
  throw new SimulatorError(
    'settings_invalid',
    `--control-port ${controlPort} is a port of the API, which has ${port} and ${port + 1}: choose another one`,
  )
}

function untilStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}

/** The last port is left for production. */
function portNumber(text: string): number {
  const port = Number(text)
  if (!/^[0-9]{1,5}$/.test(text) || port > 65_534)
    throw new InvalidArgumentError(translated('It must be a port up to 65534.'))
  return port
}
