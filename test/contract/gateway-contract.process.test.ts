import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { describe } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { startGateway } from '../../src/gateway/gateway.ts'
import { type ApiContract, contractFrom } from '../support/api-contract.ts'
import { createAuthority } from '../support/authority.ts'
import { createSite, OPERATOR_TOKEN, recordingLog } from '../support/gateway.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { type Account, bodyOf, type ClientTls, createAsk } from './contract-client.ts'
import type { ContractUnderTest } from './contract-endpoints.ts'
import { describeRegistrationContract } from './registration-contract.ts'

const SCOPES = [
  ...['svc.registration.webhook.write', 'svc.registration.webhook.read'],
  ...['payment.webhook.write', 'payment.webhook.read'],
]

const named = (nome: string, urls: readonly string[]) => urls.map((url) => [url, nome] as const)

const REFUSED_URLS = [
  ...named('protocolo_da_url', ['http://93.184.215.14/', 'ftp://93.184.215.14/', 'mailto:a@b.example']),
  ...named('webhook_invalido', ['https://127.0.0.1/', 'https://10.0.0.1/hook', 'https://[::1]/', 'https://localhost/']),
  ...named('webhook_invalido', ['https://user:secret@93.184.215.14/', 'https://93.184.215.14/#part']),
  ...named('webhook_invalido', [`https://93.184.215.14/${'a'.repeat(2100)}`]),
  ...named('url_informada_nao_existe', ['https://no-such-name.invalid/']),
]

/** A gateway and what it shows; `tls`: what the two accounts and an untrusted caller show. */
async function underTest(
  api: Record<string, unknown>,
  folder: string,
  tls: readonly [ClientTls | null, ClientTls | null, ClientTls | null] = [null, null, null],
): Promise<ContractUnderTest> {
  const site = await createSite({ forwarding: {}, api: { ...API, ...api } }, folder)
  const gateway = await startGateway(loadConfig(site.configFile), { log: recordingLog([]), onLost: () => undefined })
  const { port } = gateway.addresses.api
  const authorities = 'certificate' in api ? readFileSync(join(site.certs, 'server-ca.crt'), 'utf8') : null
  const base = authorities === null ? `http://127.0.0.1:${port}` : `https://localhost:${port}`

  async function newAccount(shown: ClientTls | null): Promise<Account> {
    const body = { name: `app-${randomUUID()}`, environment: 'any', scopes: SCOPES }
    const asked = { method: 'POST', path: '/v1/clients', body, token: OPERATOR_TOKEN, tls: shown }
    const { clientId, clientSecret } = bodyOf<Account>(await createAsk(authorities)(base, asked))
    return { clientId, clientSecret, tls: shown }
  }
  return {
    bases: { registration: `${base}/registration`, payment: `${base}/payment` },
    authorities,
    newAccounts: () => Promise.all([newAccount(tls[0]), newAccount(tls[1])]),
    strangersTls: tls[2],
    segment: 'svc',
    // An address of example.com: nothing is sent there.
    urlOf: (path) => `https://93.184.215.14/hooks/${path}?app=1`,
    refusedUrls: REFUSED_URLS,
    unknownStatus: 404,
    judge: await judgeOf(base, authorities === null ? {} : { ca: authorities, ...tls[0] }),
    async stop() {
      await gateway.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function judgeOf(base: string, connect: Agent.Options['connect'] & object): Promise<ApiContract['judge']> {
  const agent = new Agent({ connect })
  const { body } = await request(`${base}/openapi.json`, { dispatcher: agent })
  const { judge } = contractFrom(await body.text())
  await agent.close()
  return judge
}

const API = { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token' }
const newFolder = () => mkdtempSync(join(tmpdir(), 'portaria-contract-'))

describeRegistrationContract('the gateway on loopback', () => underTest({}, newFolder()))

/** In production: TLS, and certificates of the apps' own authority. */
function startWithTls(): Promise<ContractUnderTest> {
  const folder = newFolder()
  const { issue } = createAuthority(join(folder, 'authority'))
  const issuer = issue({ name: 'apps', ca: true })
  const tlsOf = (name: string): ClientTls => {
    const { cert, keyFile } = issue({ name, issuer })
    return { cert, key: readFileSync(keyFile, 'utf8') }
  }
  const api = {
    certificate: 'certs/server.crt',
    privateKey: 'certs/server.key',
    clientCa: issuer.certFile,
    clientCertificates: 'required',
  }
  return underTest(api, folder, [tlsOf('shop'), tlsOf('books'), tlsOf('untrusted')])
}

describe.skipIf(!hasOpenssl)('with TLS (certificates by openssl)', () => {
  describeRegistrationContract('the gateway that requires certificates', startWithTls)
})
