import { randomUUID } from 'node:crypto'
import { INTERFACES } from '../../simulator/src/interfaces.ts'
import { createJudge } from '../../simulator/test/judge.ts'
import { receiverCaFile, startReceiver } from '../../simulator/test/receiver.ts'
import { runSimulator } from '../../simulator/test/running.ts'
import type { Account } from './contract-client.ts'
import type { ContractUnderTest, Interface } from './contract-endpoints.ts'
import { describeRegistrationContract } from './registration-contract.ts'

const SCOPES = [
  ...['svc.registration.webhook.write', 'svc.registration.webhook.read'],
  ...['payment.webhook.write', 'payment.webhook.read'],
]

describeRegistrationContract('the simulated service', underTest)

async function underTest(): Promise<ContractUnderTest> {
  const running = await runSimulator({}, { receiverCaFile: receiverCaFile() })
  const { simulator, baseOf, askRaw, tlsOf } = running
  const good = await startReceiver({ chain: simulator.folder.environments.sandbox.chain })
  const forEverybody = await startReceiver({ chain: null })
  const failing = await startReceiver({ chain: simulator.folder.environments.sandbox.chain, answer: () => 500 })
  const { applications } = simulator.sites.sandbox
  const [first] = applications.accounts()

  function newAccount(): Account {
    const number = randomUUID()
    const application = { clientId: `app-${number}`, clientSecret: randomUUID(), account: number }
    applications.addAccount({ ...(first as NonNullable<typeof first>), number })
    applications.addApplication({ ...application, interfaces: INTERFACES, scopes: SCOPES })
    return { ...application, tls: tlsOf('sandbox', 0) }
  }

  const documents = {
    registration: (await askRaw(`${baseOf('registration')}/openapi.json`, {})).json as object,
    payment: (await askRaw(`${baseOf('payment')}/openapi.json`, {})).json as object,
  }
  const judge = createJudge()
  return {
    bases: { registration: baseOf('registration'), payment: baseOf('payment') },
    authorities: simulator.folder.root,
    newAccounts: async () => [newAccount(), newAccount()],
    strangersTls: tlsOf('sandbox', 1),
    segment: 'svc',
    urlOf: (path) => good.urlOf(`hooks/${path}?app=1`),
    refusedUrls: [
      [good.urlOf('plain').replace('https:', 'http:'), 'protocolo_da_url'],
      [forEverybody.urlOf('hook'), 'mtls_nao_configurado'],
      [failing.urlOf('hook'), 'erro_de_codigo'],
      ['https://no-such-name.invalid/', 'url_informada_nao_existe'],
      ['https://localhost:1/', 'url_inacessivel'],
      ['https://93.184.215.14/', 'url_inacessivel'],
    ],
    unknownStatus: 400,
    judge({ method, target, status, headers, body }) {
      const [, on, path] = /^\/(registration|payment)(.*)$/.exec(target) as unknown as [string, Interface, string]
      const isJson = String(headers['content-type']).startsWith('application/json') && body !== ''
      judge(documents[on], {
        method,
        path,
        answer: { status, headers, text: body, json: isJson ? JSON.parse(body) : undefined },
      })
    },
    async stop() {
      await running.stop()
      await Promise.all([good, forEverybody, failing].map((receiver) => receiver.stop()))
    },
  }
}
