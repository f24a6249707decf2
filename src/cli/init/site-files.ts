import { randomBytes } from 'node:crypto'
import { join, relative } from 'node:path'
import type { FileToWrite } from '../../certificates/files/written-files.ts'
import { chargeTokenFile, type Site } from './answers.ts'
import { nextSteps } from './next-steps.ts'

/** In the order of their creation. */
export function foldersOf({ folder, dataFolder }: Site): { path: string; mode: number }[] {
  return [
    { path: folder, mode: 0o750 },
    { path: join(folder, 'certs'), mode: 0o750 },
    { path: join(folder, 'certs/trust'), mode: 0o750 },
    { path: join(folder, 'secrets'), mode: 0o750 },
    { path: dataFolder, mode: 0o700 },
  ]
}

/** NEXT-STEPS.md comes last: without it, the site is incomplete. */
export function filesOf(site: Site): FileToWrite[] {
  const { folder, chargePort, environments } = site
  const token = (path: string) => ({
    path: join(folder, path),
    content: `${randomBytes(32).toString('hex')}\n`,
    mode: 0o600,
  })
  return [
    token('secrets/operator-token'),
    ...(chargePort === null ? [] : environments.map((environment) => token(chargeTokenFile(environment)))),
    { path: join(folder, 'portaria.yaml'), content: configurationOf(site), mode: 0o640 },
    { path: join(folder, 'NEXT-STEPS.md'), content: nextSteps(site), mode: 0o644 },
  ]
}

/** JSON strings are YAML strings; unambiguous values need no quotes. */
function quoted(text: string): string {
  return /^[\w/](?:[\w/.:-]*[\w/.-])?$/.test(text) ? text : JSON.stringify(text)
}

function configurationOf(site: Site): string {
  const { folder, dataFolder, environments, kinds } = site
  const data = relative(folder, dataFolder)
  const database = join(data.startsWith('..') ? dataFolder : data || '.', 'portaria.db')
  return `# Portaria for ${site.hostName}. Written by "portaria init"; change it as you like.
# Only what matters is here: config/portaria.yaml explains every key and its default. Paths are relative to this file.
# After every change: portaria check --config ${join(folder, 'portaria.yaml')}
mode: production

# Where the service calls back, over mutual TLS.
callbacks:
  host: ${quoted(site.callbacksHost)}
  port: ${site.callbacksPort}
  # The certificate for ${site.hostName} with its full chain, and its key: "portaria certs csr" and "certs import" make them.
  certificate: certs/server.crt
  privateKey: certs/server.key
  # Whom to let in: the chain that the service publishes for each environment, up to its root.
  trust:
${environments.map((environment) => `    - environment: ${environment}\n      chain: certs/trust/${environment}.pem\n      # Where the service publishes it, for "portaria certs trust fetch".\n      #certificateUrl: https://service.example/chain.pem\n`).join('')}  # The kinds of callbacks, each with the path that you register for it.
  kinds:
${kinds.map(({ name, path }) => `    ${quoted(name)}: { path: ${quoted(path)} }\n`).join('')}
${chargesOf(site)}
# For you and your systems, on this machine only. On another address than loopback it needs certificate and privateKey.
api:
  host: 127.0.0.1
  port: ${site.apiPort}
  # Who has this token may do everything.
  operatorTokenFile: secrets/operator-token

storage:
  # On a local disk.
  url: ${quoted(`sqlite:${database}`)}

# Private networks that your systems are in; without an entry only public addresses are called, by https.
forwarding:
  allowedNetworks: []

# Your systems. Or add them while Portaria runs: portaria destinations create URL
#destinations:
#  - name: app
#    url: https://app.example/callbacks
#    secretFile: secrets/app
`
}

function chargesOf({ chargePort, environments }: Site): string {
  const head = '# Charge notifications, which come without a client certificate: the token in the path lets them in.\n'
  if (chargePort === null)
    return `${head}# "portaria init --charge-port" writes this section; config/portaria.yaml explains it.\n#chargeNotifications:\n`
  return `${head}chargeNotifications:
  host: 0.0.0.0
  port: ${chargePort}
  certificate: certs/server.crt
  privateKey: certs/server.key
  tokens:
${environments.map((environment) => `    - environment: ${environment}\n      tokenFile: ${chargeTokenFile(environment)}\n`).join('')}`
}
