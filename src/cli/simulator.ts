import { relative } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { COMMAND } from '../platform/installation.ts'
import { SimulatorError } from '../simulator/errors.ts'
import { ENVIRONMENTS, type Environment, INTERFACES, TOKEN_PATHS } from '../simulator/interfaces.ts'
import { type Simulator, startSimulator } from '../simulator/simulator.ts'
import { EXIT, print, printLine } from './output.ts'

interface SimulatorFlags {
  readonly port: number
  readonly controlPort: number
  readonly host?: string
  readonly folder: string
  readonly keep?: boolean
  readonly settings?: string
  readonly receiverCa?: string
  readonly json?: boolean
}

export function simulatorCommand(): Command {
  return new Command('simulator')
    .description('Run a simulated service, to try and test everything without a contract; never for production')
    .option('--port <n>', 'port of the sandbox; production answers on the next one', portNumber, 9443)
    .option('--control-port <n>', 'port of the control API, on loopback', portNumber, 9445)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1 and ::1)')
    .option(
      '--folder <folder>',
      'folder of its certificates and applications, made at the first start',
      'data/simulator',
    )
    .option('--keep', 'keep its state in simulator.db of the folder (default: in memory)')
    .option('--settings <file>', 'settings, YAML (docs/simulator.md lists them)')
    .option('--receiver-ca <file>', "authorities of receivers' server certificates besides the public ones, PEM")
    .option('--json', 'print addresses, credentials and files as one JSON object')
    .addHelpText('after', '\nExample:\n  portaria simulator --receiver-ca certs/server-ca.crt\n')
    .action(run)
}

async function run(flags: SimulatorFlags): Promise<void> {
  const stopped = untilStopSignal()
  try {
    const simulator = await startSimulator({
      ...{ port: flags.port, host: flags.host ?? null, folder: flags.folder, isKept: flags.keep === true },
      controlPort: flags.controlPort,
      settingsFile: flags.settings ?? null,
      receiverCaFile: flags.receiverCa ?? null,
      report: (error) => process.stderr.write(`${String((error as Error).stack ?? error)}\n`),
    })
    await (flags.json === true ? printLine(summaryOf(simulator)) : print(bannerOf(simulator)))
    await stopped
    await simulator.stop()
  } catch (error) {
    if (!(error instanceof SimulatorError)) throw error
    process.stderr.write(`portaria: ${error.message}\n`)
    process.exitCode = error.code === 'settings_invalid' ? EXIT.usage : EXIT.no
  }
}

function untilStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}

/** The last port is left for production. */
function portNumber(text: string): number {
  const port = Number(text)
  if (!/^[0-9]{1,5}$/.test(text) || port > 65_534) throw new InvalidArgumentError('It must be a port up to 65534.')
  return port
}

/** All that a gateway and an app need to work with the simulated service. */
function summaryOf(simulator: Simulator) {
  const { folder } = simulator
  return {
    serverCa: folder.rootFile,
    control: `http://localhost:${simulator.controlPort}/control`,
    environments: Object.fromEntries(
      ENVIRONMENTS.map((environment) => [environment, environmentOf(simulator, environment)]),
    ),
  }
}

function environmentOf({ ports, folder, sites }: Simulator, environment: Environment) {
  const base = `https://localhost:${ports[environment]}`
  const { applications } = sites[environment]
  const files = folder.environments[environment].accounts
  return {
    baseAddresses: Object.fromEntries(INTERFACES.map((name) => [name, `${base}/${name}`])),
    tokenEndpoints: Object.fromEntries(INTERFACES.map((name) => [name, `${base}/${name}${TOKEN_PATHS[name]}`])),
    chain: folder.environments[environment].chainFile,
    chainUrl: `${base}/certificates/${environment}.pem`,
    applications: folder.environments[environment].applications.map(({ clientId, clientSecret, account }) => ({
      ...{ clientId, clientSecret, account: `${account.number}-${account.digit}` },
      scopes: applications.find(clientId)?.scopes,
      files: files.find(({ number }) => number === account.number)?.files,
    })),
  }
}

function bannerOf(simulator: Simulator): string {
  const { folder } = simulator
  const near = (file: string) => relative(process.cwd(), file)
  const lines = [
    'The service, simulated: for development and tests, never for production.',
    'It calls receivers on loopback and private addresses only, unless its settings allow others.',
    ...ENVIRONMENTS.flatMap((environment) => {
      const { baseAddresses, chain, chainUrl, applications } = environmentOf(simulator, environment)
      const [application] = applications
      return [
        '',
        `${environment}`,
        ...Object.entries(baseAddresses).map(([name, address]) => `  ${name.padEnd(14)}${address}`),
        '  A gateway trusts its callbacks after',
        `    ${COMMAND} certs trust stage --environment ${environment} --name simulator ${near(chain)}`,
        `    ${COMMAND} certs trust activate --environment ${environment} simulator`,
        `  It is published at ${chainUrl}`,
        '  An app calls it with',
        `    CLIENT_ID=${application?.clientId}`,
        `    CLIENT_SECRET=${application?.clientSecret}`,
        ...Object.entries(application?.files ?? {}).map(
          ([kind, file]) => `    # account certificate, ${kind}: ${near(file)}`,
        ),
      ]
    }),
    '',
    `  NODE_EXTRA_CA_CERTS=${near(folder.rootFile)}   (curl: --cacert)`,
    '',
    `  Control API: http://localhost:${simulator.controlPort}/control (described at /control/openapi.json)`,
    '',
    'Ctrl-C stops it.',
    '',
  ]
  return lines.join('\n')
}
