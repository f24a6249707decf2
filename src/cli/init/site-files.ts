import { randomBytes } from 'node:crypto'
import { dirname, join, relative } from 'node:path'
import type { FileToWrite } from '../../certificates/files/written-files.ts'
import { type Speaker, speaker } from '../../messages/speaker.ts'
import { COMMAND } from '../../platform/installation.ts'
import { chargeTokenFile, type Site } from './answers.ts'
import { institutionsSection } from './institutions.ts'
import { nextStepsHere } from './next-steps.ts'
import { publicUrlOf, serviceSectionOf } from './service-section.ts'

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
    { path: join(folder, 'NEXT-STEPS.md'), content: nextStepsHere(site), mode: 0o644 },
  ]
}

/** JSON strings are YAML strings; unambiguous values need no quotes. */
function quoted(text: string): string {
  return /^[\w/](?:[\w/.:-]*[\w/.-])?$/.test(text) ? text : JSON.stringify(text)
}

/** With its comments in the language of the site. */
function configurationOf(site: Site): string {
  const t = speaker(site.language)
  const { folder, dataFolder, environments, institutions } = site
  const data = relative(folder, dataFolder)
  const database = join(data.startsWith('..') ? dataFolder : data || '.', 'portaria.db')
  return `# ${t`Portaria for ${{ host: site.hostName }}. Written by "portaria init"; change it as you like.`}
# ${t`Other keys have their defaults: config/portaria.yaml explains every key. Paths are relative to this file.`}
# ${t`After every change: ${{ command: `${COMMAND} reload --config ${join(folder, 'portaria.yaml')}` }}`}
mode: production

# ${t`The callback listener, with mutual TLS.`}
callbacks:
  host: ${quoted(site.callbacksHost)}
  port: ${site.callbacksPort}
  # ${t`The beginning of the URLs that the service calls.`}
  publicUrl: ${publicUrlOf(site)}
  # ${t`The certificate for ${{ host: site.hostName }} with its full chain, and its key; NEXT-STEPS.md has the commands.`}
  certificate: certs/server.crt
  privateKey: certs/server.key
${trustAndKinds(site, t)}
${institutionsSection(institutions, environments, t)}${chargesOf(site, t)}
${apiOf(site, t)}  # ${t`The operator token permits everything.`}
  operatorTokenFile: secrets/operator-token

storage:
  # ${t`Keep it on a local disk.`}
  url: ${quoted(`sqlite:${database}`)}

# ${t`With PostgreSQL the control socket of the commands is here.`}
node:
  folder: ${quoted(dirname(database))}

# ${t`Private networks of your systems; without entries only public addresses are called, with https.`}
# ${t`"loopback" is this machine, for receivers such as http://localhost:3000.`}
forwarding:
  allowedNetworks: [${site.localReceiver ? 'loopback' : ''}]

# ${t`Your systems. You can also add them while Portaria runs: ${{ command: COMMAND }} destinations create URL`}
#destinations:
#  - name: app
#    url: https://app.example/callbacks
#    secretFile: secrets/app

${serviceSectionOf(site, t)}`
}

function trustAndKinds({ environments, kinds }: Site, t: Speaker): string {
  if (kinds.length === 0) return ''
  return `  # ${t`Callers to accept: the chain that the service publishes for each environment, up to its root.`}
  trust:
${environments.map((one) => trustEntry(one, t)).join('')}  # ${t`The kinds of callbacks, each with the path that you register for it.`}
  kinds:
${kinds.map((one) => kindEntry(one, t)).join('')}`
}

function apiOf({ isContainer, apiPort }: Site, t: Speaker): string {
  if (!isContainer)
    return `# ${t`The private API, on this machine only. On an address other than loopback it needs certificate and privateKey.`}
api:
  host: 127.0.0.1
  port: ${apiPort}
`
  return `# ${t`The private API, for the machine and the containers that reach this one: publish its port on loopback only.`}
api:
  host: 0.0.0.0
  port: ${apiPort}
  certificate: certs/server.crt
  privateKey: certs/server.key
`
}

function kindEntry({ name, path }: Site['kinds'][number], t: Speaker): string {
  if (name !== 'payment') return `    ${quoted(name)}: { path: ${quoted(path)} }\n`
  return `    payment:
      path: ${quoted(path)}
      # ${t`Any customer of the same institution may register your URL. Name your accounts or keys: payments about others go to quarantine.`}
      # ${t`config/portaria.yaml explains the pointers. Once payments come without this key, the check warns.`}
      #accounts:
      #  allow:
      #    - pointers: [/conta/numero, /chave]
      #      values: ["012345-6", "pix@shop.example"]
`
}

function trustEntry(environment: string, t: Speaker): string {
  return `    - environment: ${environment}
      chain: certs/trust/${environment}.pem
      # ${t`URL at which the service publishes it, for "portaria certs trust fetch".`}
      #certificateUrl: https://service.example/chain.pem
`
}

function chargesOf({ hostName, chargePort, environments }: Site, t: Speaker): string {
  const head = `# ${t`The charge listener: charge callbacks come without a client certificate, with a token in the path.`}\n`
  if (chargePort === null)
    return `${head}# ${t`"portaria init --charge-port" writes this section; config/portaria.yaml explains it.`}\n#chargeNotifications:\n`
  return `${head}chargeNotifications:
  host: 0.0.0.0
  port: ${chargePort}
  publicUrl: https://${hostName}:${chargePort}
  certificate: certs/server.crt
  privateKey: certs/server.key
  tokens:
${environments.map((environment) => `    - environment: ${environment}\n      tokenFile: ${chargeTokenFile(environment)}\n`).join('')}`
}
