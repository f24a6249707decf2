import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createAuthority } from '../../support/authority.ts'
import { OPERATOR_TOKEN, startTestGateway } from '../../support/gateway.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { createWorld, installPair, reloadNow, replace, siteOf } from '../../support/reloading.ts'
import { until } from '../../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'portaria-client-use-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.skipIf(!hasOpenssl)(
  'client certificates that lose their use are reported, and do not take the place of a good one',
  async () => {
    const world = createWorld(join(folder, 'world'))
    const { issue } = createAuthority(join(folder, 'clients'))
    const authority = issue({ name: 'public', ca: true, subject: "/O=Let's Encrypt/CN=R13" })
    const withUse = (name: string, uses: string) =>
      issue({ name, issuer: authority, extensions: [`extendedKeyUsage=${uses}`, 'keyUsage=digitalSignature'] })
    const app = withUse('app', 'serverAuth,clientAuth')
    const tls = { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
    const site = await siteOf(world, world.server('server'), {
      forwarding: { clientCertificate: { certificate: 'certs/client.crt', privateKey: 'certs/client.key' } },
      api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', clientCa: 'apps.pem', ...tls },
    })
    replace(join(site.folder, 'apps.pem'), authority.cert)
    installPair(site, withUse('good', 'clientAuth'), 'client')
    const gateway = await startTestGateway(site)

    installPair(site, withUse('renewed', 'serverAuth'), 'client')
    expect(await reloadNow(site)).toMatchObject({
      status: 200,
      body: {
        renewed: [],
        problems: [
          {
            what: 'the client certificate for destinations',
            problem: expect.stringMatching(/^"CN=renewed" is not for TLS clients/),
            use: 'earlier',
          },
        ],
      },
    })
    const listed = await new Promise<string>((resolve, reject) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port: gateway.api.port,
          path: '/v1/certificates',
          agent: false,
          servername: 'localhost',
          ca: readFileSync(join(site.certs, 'server-ca.crt')),
          cert: app.cert,
          key: readFileSync(app.keyFile),
          headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
        },
        async (response) => resolve(Buffer.concat(await response.toArray()).toString()),
      )
      asked.on('error', reject)
      asked.end()
    })
    const { data } = JSON.parse(listed) as { data: { set: string; subject: string; clientUseProblem: string | null }[] }
    expect(
      data
        .filter(({ set }) => set === 'client' || set === 'api-client')
        .map(({ set, subject, clientUseProblem: problem }) => [
          set,
          subject,
          problem?.replace(/.*(is not for|of Let's).*/, '$1') ?? null,
        ]),
    ).toEqual(
      expect.arrayContaining([
        ['api-client', 'CN=app', "of Let's"],
        ['client', 'CN=renewed', 'is not for'],
        ['client', 'CN=good', null],
      ]),
    )

    // The pair is good for some destination or other: any renewal lets the watch look at once.
    installPair(site, world.server('another'))
    await until(() => gateway.lines.filter(({ event }) => event === 'certificate.loses_client_use').length === 2)
  },
)
