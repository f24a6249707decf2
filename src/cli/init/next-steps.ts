import { join } from 'node:path'
import { PAYMENT_KINDS } from '../../domain/kinds.ts'
import { keyOf, optionsOf, partsOf, type Realm, realmOf } from '../../domain/realm.ts'
import { CATALOGUES } from '../../messages/languages.ts'
import { COMMAND } from '../../platform/installation.ts'
import { programFile } from '../../platform/program-files.ts'
import { hasNeededFixes } from '../../platform/version.ts'
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
  const texts = CATALOGUES[site.language].nextSteps
  const config = quoted(join(folder, 'portaria.yaml'))
  const certs = (name: string) => quoted(join(folder, 'certs', name))
  const reach =
    publicPort === callbacksPort
      ? texts.reach(publicPort, hostName)
      : texts.reachRedirected(publicPort, hostName, callbacksPort)
  return `# ${texts.title(hostName)}

${texts.written(config, site.dataFolder)}
${texts.configuration}

    export PORTARIA_CONFIG=${config}
${isContainer ? `\n${texts.container}\n` : ''}
## 1. ${texts.certificate(hostName)}

${isContainer ? '' : certbotAdvice(site, config)}    portaria certs csr --name ${hostName} --key ${certs('server.key')} --out ${certs('server.csr')}

${texts.importIssued}

    portaria certs import ISSUED.pem INTERMEDIATES.pem

## 2. ${texts.chains}

${texts.chainsText}

${chainSources(institutions, texts.chainSource)}${chainSteps(site)}
## 3. ${texts.machine}

${isContainer ? '' : ownerAdvice(site)}${reach}
${hasNeededFixes(node) ? '' : `\n${texts.node(node)}\n`}
## 4. ${texts.start}

    portaria check
    portaria serve

${texts.secondTerminal}

${checkedPaths(site)
  .map((path) => `    portaria check --url ${publicUrlOf(site)}${path}\n`)
  .join('')}
## 5. ${texts.destination}

${texts.destinationText}

    portaria destinations create ${receiverOf(site)} --name app
    portaria destinations test app

${texts.secret}
${site.localReceiver ? '' : `${texts.localReceiver}\n`}${texts.polling}

## 6. ${texts.register}

${registrationSteps(site)}${accountsStep(site)}`
}

function certbotAdvice({ hostName, language }: Site, config: string): string {
  const texts = CATALOGUES[language].nextSteps
  return `${texts.certbot(hostName)}

    certbot certonly --standalone -d ${hostName} --deploy-hook ${quoted(`env PORTARIA_CONFIG=${config} ${quoted(DEPLOY_HOOK)}`)}

${texts.hook}

${texts.otherAuthority}

`
}

function ownerAdvice({ folder, dataFolder, language }: Site): string {
  return `${CATALOGUES[language].nextSteps.owner}

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
  const texts = CATALOGUES[language].nextSteps
  return `
## 7. ${texts.accounts}

${texts.accountsText}

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
