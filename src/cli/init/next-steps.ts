import { join } from 'node:path'
import { PAYMENT_KINDS } from '../../domain/kinds.ts'
import { keyOf, optionsOf, partsOf, type Realm, realmOf } from '../../domain/realm.ts'
import { type Speaker, speaker } from '../../messages/speaker.ts'
import { translatedInto } from '../../messages/translator.ts'
import { COMMAND } from '../../platform/installation.ts'
import { programFile } from '../../platform/program-files.ts'
import { hasNeededFixes, NODE_ADVICE } from '../../platform/version.ts'
import type { Site } from './answers.ts'
import { chainSources, samplePath } from './institutions.ts'
import { publicUrlOf, registrationSteps } from './service-section.ts'

/** With the commands as they are typed here. */
export function nextStepsHere(site: Site): string {
  return nextSteps(site).replaceAll(/(?<=^ {4}|`)portaria (?=[a-z])/gm, () => `${COMMAND} `)
}

/** Lists what was created and what people still have to supply, with commands. Markdown that is readable as plain text. */
export function nextSteps(site: Site, node = process.versions.node): string {
  const { folder, hostName, institutions, callbacksPort, publicPort, isContainer } = site
  const t = speaker(site.language)
  const config = quoted(join(folder, 'portaria.yaml'))
  const certs = (name: string) => quoted(join(folder, 'certs', name))
  const reach =
    publicPort === callbacksPort
      ? t`Let the service reach port ${{ port: publicPort }} of ${{ host: hostName }}. Nothing in between may end TLS.`
      : t`Let the service reach port ${{ port: publicPort }} of ${{ host: hostName }}, redirected to port ${{ to: callbacksPort }} of this machine. Nothing in between may end TLS.`
  return `# ${t`Portaria for ${{ host: hostName }}: what you still have to supply`}

${t`Written: ${{ config }}, the operator token (secrets/operator-token), and the folders certs, certs/trust, secrets and ${{ dataFolder: site.dataFolder }}.`}
${t`The commands below find the configuration by:`}

    export PORTARIA_CONFIG=${config}
${
  isContainer
    ? `\n${t`Each command runs in a container of the same image with the same volumes, as "portaria init" did; files of yours need a volume, too.
The configuration is found without the variable if it is in /etc/portaria.`}\n`
    : ''
}
## 1. ${t`A certificate for ${{ host: hostName }}`}

${isContainer ? '' : certbotAdvice(site, config)}    portaria certs csr --name ${hostName} --key ${certs('server.key')} --out ${certs('server.csr')}

${t`Send server.csr to the certificate authority. Then import the issued certificate and the intermediates, in any order:`}

    portaria certs import ISSUED.pem INTERMEDIATES.pem

## 2. ${t`The service's chains`}

${t`The CA certificates of the callers, PEM, up to the root: the service publishes one chain for each environment.`}

${chainSources(institutions, t)}${chainSteps(site)}
## 3. ${t`The machine`}

${isContainer ? '' : ownerAdvice(site)}${reach}
${hasNeededFixes(node) ? '' : `\n${nodeText(node, t)}\n`}
## 4. ${t`Check, start, check from outside`}

    portaria check
    portaria serve

${t`The gateway keeps this terminal. Open a second one for all that follows, and set PORTARIA_CONFIG there as above:`}

${checkedPaths(site)
  .map((path) => `    portaria check --url ${publicUrlOf(site)}${path}\n`)
  .join('')}
## 5. ${t`A destination: the system that gets the events`}

${t`Without a destination, events are stored and not forwarded.`}

    portaria destinations create ${receiverOf(site)} --name app
    portaria destinations test app

${t`\`create\` prints the secret with which your system verifies the signatures, over the raw bytes of the body.`}
${
  site.localReceiver
    ? ''
    : `${t`For a system on this machine, such as http://localhost:3000, write \`allowedNetworks: [loopback]\` under \`forwarding\`
in the configuration, then \`portaria reload\`.`}\n`
}${t`An app behind a firewall polls for its events instead: \`portaria clients create --help\`.`}

## 6. ${t`Register at the service`}

${registrationSteps(site, t)}${accountsStep(site)}`
}

function certbotAdvice({ hostName, language }: Site, config: string): string {
  const t = speaker(language)
  return `${t`With certbot, which also renews it. Port 80 of ${{ host: hostName }} must reach this machine; certbot has other ways to prove the name, too.`}

    certbot certonly --standalone -d ${hostName} --deploy-hook ${quoted(`env PORTARIA_CONFIG=${config} ${quoted(DEPLOY_HOOK)}`)}

${t`The hook installs every new certificate, and the gateway takes it up by itself.`}

${t`With another certificate authority instead:`}

`
}

function ownerAdvice({ folder, dataFolder, language }: Site): string {
  const t = speaker(language)
  return `${t`The gateway's user must own the files that it reads and writes (as root; replace portaria by that user):`}

    chown -R portaria: ${quoted(folder)}${dataFolder.startsWith(`${folder}/`) ? '' : ` ${quoted(dataFolder)}`}

`
}

function accountsStep({ kinds, institutions, language }: Site): string {
  const all = [{ name: null, kinds }, ...institutions]
  const places = all.flatMap((one) =>
    one.kinds
      .filter(({ name }) => PAYMENT_KINDS.includes(name))
      .map(({ name }) => `- ${keyOf(one.name, 'kinds')}.${name}.accounts.allow\n`),
  )
  if (places.length === 0) return ''
  const t = speaker(language)
  return `
## 7. ${t`Your accounts`}

${t`Any customer of the same institution may register your URL: the certificate is right, and the payments are not yours. Name your accounts or keys
in the configuration (config/portaria.yaml shows how), and restart. Payments about others then go to quarantine.`}

${places.join('')}`
}

/** Beside this program. */
const DEPLOY_HOOK = programFile('docs/examples/acme-deploy-hook.sh')

function receiverOf({ localReceiver }: Site): string {
  return localReceiver ? 'http://localhost:3000/callbacks' : 'https://app.example/callbacks'
}

/** For each environment of each institution. */
function chainSteps({ kinds, institutions, environments }: Site): string {
  const owners = [...(kinds.length === 0 ? [] : [null]), ...institutions.map(({ name }) => name)]
  return owners
    .flatMap((owner) => environments.map((environment) => realmOf(owner, environment)))
    .map(trustCommands)
    .join('')
}

function trustCommands(realm: Realm): string {
  const { institution, environment } = partsOf(realm)
  const name = `${institution ?? 'service'}-${environment}`
  const file = `${institution === null ? '' : `${institution.toUpperCase()}-`}${environment.toUpperCase()}-CHAIN.pem`
  const options = optionsOf(realm)
  return `    portaria certs trust stage ${file} ${options} --name ${name}
    portaria certs trust activate ${name} ${options}
`
}

function checkedPaths({ kinds: [first], institutions }: Site): string[] {
  return [...(first === undefined ? [] : [first.path]), ...institutions.map(samplePath)]
}

/** Quotes for a shell if necessary. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

function nodeText(version: string, t: Speaker): string {
  return t`Portaria runs on Node.js ${{ version }} here, which lacks security fixes, and \`portaria check\` fails until it is updated:
${{ advice: translatedInto(t.language, NODE_ADVICE) }}.`
}
