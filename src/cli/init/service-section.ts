import type { Speaker } from '../../messages/speaker.ts'
import { COMMAND } from '../../platform/installation.ts'
import { chargeTokenFile, type Site } from './answers.ts'
import { registeredPaths } from './institutions.ts'

/** What precedes the paths of callbacks in the URLs that the service calls. */
export function publicUrlOf({ hostName, publicPort }: Pick<Site, 'hostName' | 'publicPort'>): string {
  return `https://${hostName}${publicPort === 443 ? '' : `:${publicPort}`}`
}

export function serviceSecretFile(environment: string): string {
  return `secrets/service-${environment}`
}

export function serviceCertificateFile(environment: string): string {
  return `certs/service-${environment}.p12`
}

/** The section `service`, ready to be switched on. */
export function serviceSectionOf(site: Site, t: Speaker): string {
  if (site.kinds.length === 0) return ''
  return `# ${t`The gateway as a client of the service: it registers the URLs of this file (${{ command: COMMAND }} service webhooks create --help) and asks for the`}
# ${t`content of charge notifications that are only a token. Write the addresses and credentials that the service gave you, and remove the "#".`}
#service:
${site.environments.map((environment) => entryOf(site, environment, t)).join('')}`
}

function entryOf(site: Site, environment: string, t: Speaker): string {
  return `#  - environment: ${environment}
#    baseAddresses:
${interfacesOf(site)
  .map((name) => `#      ${name}: https://${name === 'openBanking' ? 'open-banking' : name}.service.example\n`)
  .join('')}#    clientId: Client_Id
#    # ${t`A file with the client secret in one line.`}
#    clientSecret: ${serviceSecretFile(environment)}
#    # ${t`The certificate of your account. With a password add passwordFile; of a PEM file also name the privateKey.`}
#    certificate: ${serviceCertificateFile(environment)}
`
}

/** Those whose callbacks this site receives. */
function interfacesOf({ kinds, chargePort }: Site): string[] {
  const calling = ['registration', 'payment', 'openBanking'].filter((on) => kinds.some(({ name }) => name === on))
  const all = [...calling, ...(chargePort === null ? [] : ['charges'])]
  return all.length === 0 ? ['registration'] : all
}

/** Of NEXT-STEPS.md: the URLs, and how the gateway registers them itself. */
export function registrationSteps(site: Site, t: Speaker): string {
  const { kinds, institutions, environments, chargePort, hostName, folder } = site
  const callbacks = [
    ...kinds.map(({ name, path }) => `- ${name}: ${publicUrlOf(site)}${path}\n`),
    ...institutions.flatMap((one) =>
      registeredPaths(one).map((path) => `- ${one.name}: ${publicUrlOf(site)}${path}\n`),
    ),
  ]
  const url = `https://${hostName}:${chargePort}/charges/TOKEN`
  const chargeAddress = (environment: string) => {
    const tokenFile = `${folder}/${chargeTokenFile(environment)}`
    return t`charge callbacks of ${{ environment }}: ${{ url }}, with the token in ${{ tokenFile }}`
  }
  const charges = environments.map((environment) => `- ${chargeAddress(environment)}\n`)
  const [environment = 'production'] = environments
  const on = ['registration', 'payment'].find((one) => kinds.some(({ name }) => name === one))
  const create = `    portaria service webhooks create --environment ${environment} --interface ${on}\n`
  const urls = [...callbacks, ...(chargePort === null ? [] : charges)].join('')
  if (kinds.length === 0) return `${urls}\n${t`Enter these URLs at the institutions.`}\n`
  return `${urls}
${registeredByGateway(environment, t)}

    portaria reload
    portaria check
${on === undefined ? '' : create}`
}

function registeredByGateway(environment: string, t: Speaker): string {
  const [secretFile, certificateFile] = [serviceSecretFile(environment), serviceCertificateFile(environment)]
  return t`These URLs begin with \`publicUrl\` of the configuration. Enter them at the service, or let the gateway register them:
fill in the section \`service\` at the end of the configuration. It needs the client secret in ${{ secretFile }} (mode 0600)
and the certificate of your account in ${{ certificateFile }}. Then:`
}
