import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { type ControlEndpoint, ControlError, controlEndpoint } from '../control-api/control-endpoint.ts'
import { ENVIRONMENTS, type Environment } from '../interfaces.ts'
import type { Site } from '../site.ts'

const certificateSchema = z.object({ subject: z.string(), issuer: z.string(), sha256: z.string() })

const chainSchema = z.object({
  environment: z.enum(ENVIRONMENTS),
  published: z.object({ url: z.string(), file: z.string(), issuing: certificateSchema }),
  client: certificateSchema.describe('The certificate that callbacks show'),
  isActive: z.boolean().describe('Whether the published chain has issued the certificate that callbacks show'),
})

/** The published chains of the service's client certificates, and their rotation. */
export function chainsControl(): ControlEndpoint[] {
  const answers = {
    200: { description: 'The chain of the environment', schema: chainSchema },
    404: { description: 'There is no such environment' },
  }
  return [
    controlEndpoint({
      id: 'listChains',
      isForBoth: true,
      method: 'get',
      path: '/chains',
      summary: 'Show the published chain and the client certificate of callbacks, of both environments or of one',
      answers: { 200: { description: 'The chains', schema: z.object({ chains: z.array(chainSchema) }) } },
      run: ({ sites }) => ({ status: 200, json: { chains: sites.map((site) => viewOf(site, site.environment)) } }),
    }),
    controlEndpoint({
      id: 'rotateChain',
      method: 'post',
      path: '/chains/:environment/rotate',
      summary: 'Publish a chain with a new issuing certificate; callbacks show the old certificate until activateChain',
      answers,
      async run({ params, site }) {
        const environment = environmentIn(params)
        await site.folder.rotate(environment)
        return { status: 200, json: viewOf(site, environment) }
      },
    }),
    controlEndpoint({
      id: 'activateChain',
      method: 'post',
      path: '/chains/:environment/activate',
      summary: 'Show a certificate of the published chain from the next callback on',
      answers,
      async run({ params, site }) {
        const environment = environmentIn(params)
        await site.folder.activate(environment)
        return { status: 200, json: viewOf(site, environment) }
      },
    }),
  ]
}

/** @throws ControlError 404 */
function environmentIn({ environment }: Readonly<Record<string, string>>): Environment {
  const found = ENVIRONMENTS.find((name) => name === environment)
  if (found === undefined) throw new ControlError(404, `the environments are ${ENVIRONMENTS.join(' and ')}`)
  return found
}

function viewOf({ folder, origin }: Site, environment: Environment): z.infer<typeof chainSchema> {
  const { chain, chainFile, client } = folder.environments[environment]
  const issuing = new X509Certificate(chain)
  const shown = new X509Certificate(client.cert)
  return {
    environment,
    published: { url: `${origin()}/certificates/${environment}.pem`, file: chainFile, issuing: certificateOf(issuing) },
    client: certificateOf(shown),
    isActive: shown.checkIssued(issuing) && shown.verify(issuing.publicKey),
  }
}

function certificateOf({ subject, issuer, fingerprint256 }: X509Certificate): z.infer<typeof certificateSchema> {
  return { subject: oneLine(subject), issuer: oneLine(issuer), sha256: fingerprint256 }
}

function oneLine(name: string): string {
  return name.replaceAll('\n', ', ')
}
