import { ENVIRONMENTS, type Environment, INTERFACES, TOKEN_PATHS } from '../interfaces.ts'
import type { Simulator } from '../service/simulator.ts'
import { commandNames, translated } from './command-names.ts'

const PURPOSE = 'The service, simulated: for development and tests, NEVER FOR PRODUCTION.'

/** All that a gateway and an app need to work with the simulated service. */
export function summaryOf(simulator: Simulator) {
  const { folder } = simulator
  return {
    notice: PURPOSE,
    serverCa: folder.rootFile,
    control: controlOf(simulator),
    playground: playgroundOf(simulator),
    environments: Object.fromEntries(
      ENVIRONMENTS.map((environment) => [environment, environmentOf(simulator, environment)]),
    ),
  }
}

function controlOf(simulator: Simulator): string {
  return `${controlOrigin(simulator)}/control`
}

function playgroundOf(simulator: Simulator): string {
  return `${controlOrigin(simulator)}/playground/`
}

function controlOrigin({ controlHost, controlPort }: Simulator): string {
  const name = controlHost ?? 'localhost'
  return `http://${name.includes(':') ? `[${name}]` : name}:${controlPort}`
}

function environmentOf({ ports, folder, sites }: Simulator, environment: Environment) {
  const base = `https://localhost:${ports[environment]}`
  const { applications } = sites[environment]
  const { chainFile, accounts, ...of } = folder.environments[environment]
  return {
    baseAddresses: Object.fromEntries(INTERFACES.map((name) => [name, `${base}/${name}`])),
    tokenEndpoints: Object.fromEntries(INTERFACES.map((name) => [name, `${base}/${name}${TOKEN_PATHS[name]}`])),
    webhookEndpoints: {
      payment: `PUT ${base}/payment/v1/webhook`,
      registration: `POST ${base}/registration/v1/webhook`,
    },
    chain: chainFile,
    chainUrl: `${base}/certificates/${environment}.pem`,
    trustCommands: [
      `${commandNames.gateway} certs trust stage ${quoted(chainFile)} --environment ${environment} --name simulator`,
      `${commandNames.gateway} certs trust activate simulator --environment ${environment}`,
    ],
    applications: of.applications.map(({ clientId, clientSecret, account }) => ({
      clientId,
      clientSecret,
      account: `${account.number}-${account.digit}`,
      scopes: applications.find(clientId)?.scopes,
      files: accounts.find(({ number }) => number === account.number)?.files,
    })),
  }
}

/** How a callback URL is registered at an interface: endpoints 22 and 18 of Document 1. */
const REGISTRATIONS = [
  { on: 'payment', method: 'PUT', member: 'url' },
  { on: 'registration', method: 'POST', member: 'webhookUrl' },
] as const

/** Lines that can be pasted into a shell, in any folder. */
export function bannerOf(simulator: Simulator, hasReceiverCa: boolean): string {
  return [
    translated(PURPOSE),
    translated('It calls receivers on loopback and private addresses only, unless its settings allow others.'),
    ...(hasReceiverCa ? [] : [translated(RECEIVER_CA_ADVICE)]),
    '',
    translated(`Playground: ${playgroundOf(simulator)} (every endpoint as a form, every record as a page)`),
    translated(`Control API: ${controlOf(simulator)} (described at ${controlOf(simulator)}/openapi.json)`),
    `  ${commandNames.simulator} ctl operations${controlOption(simulator)}`,
    // The block that people copy is the last one, so that a small terminal still shows it.
    ...ENVIRONMENTS.toReversed().flatMap((environment) => ['', ...linesOf(simulator, environment)]),
    '',
    translated('Ctrl-C stops it.'),
    '',
  ].join('\n')
}

const RECEIVER_CA_ADVICE =
  'Receivers need a certificate of a public authority, or on this machine server.crt of the folder of this simulator: for a development gateway, start with --receiver-ca certs/server-ca.crt.'

/** Its default is left out. */
function controlOption(simulator: Simulator): string {
  const { controlHost, controlPort } = simulator
  return controlPort === 9445 && controlHost === null ? '' : ` --control ${controlOrigin(simulator)}`
}

function linesOf(simulator: Simulator, environment: Environment): string[] {
  const { baseAddresses, tokenEndpoints, trustCommands, chainUrl, applications } = environmentOf(simulator, environment)
  const [application] = applications
  const withCertificate = 'curl -sS --cacert "$NODE_EXTRA_CA_CERTS" --cert "$CLIENT_CERTIFICATE"'
  return [
    environment.toUpperCase(),
    ...Object.entries(baseAddresses).map(([name, address]) => `  ${name.padEnd(14)}${address}`),
    `  ${translated(`The chain is published at ${chainUrl} (certificateUrl, for "certs trust fetch").`)}`,
    `  ${translated('Copy this block into another shell. A gateway then trusts the callbacks, and an app has its credentials:')}`,
    ...trustCommands.map((line) => `    ${line}`),
    `    export CLIENT_ID=${application?.clientId}`,
    `    export CLIENT_SECRET=${application?.clientSecret}`,
    `    export CLIENT_CERTIFICATE=${quoted(application?.files?.pem ?? '')}`,
    `    export NODE_EXTRA_CA_CERTS=${quoted(simulator.folder.rootFile)}`,
    `  ${translated('The same certificate is beside it as .p12 with an empty password, .crt and .key.')}`,
    `  ${translated('Then register the URLs of a gateway, here those of "npm start":')}`,
    `    token() { ${withCertificate} -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials "$1" |`,
    `      sed 's/.*"access_token":"\\([^"]*\\).*/\\1/'; }`,
    ...REGISTRATIONS.flatMap(({ on, method, member }) => [
      `    ${withCertificate} -H "authorization: Bearer $(token ${tokenEndpoints[on]})" \\`,
      `      -H 'content-type: application/json' -X ${method} ${baseAddresses[on]}/v1/webhook \\`,
      `      -d '{"${member}":"https://localhost:8443/callbacks/${on}"}'`,
    ]),
  ]
}

/** For a shell. */
function quoted(file: string): string {
  return /^[\w./@+-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`
}
