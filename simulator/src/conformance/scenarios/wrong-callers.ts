import { isSuccess } from '../../webhooks/two-requests.ts'
import { NO_RESUMPTION, PIN_ISSUER, REQUIRE_CERTIFICATE, VERIFY_CERTIFICATE } from '../fixes/callers.ts'
import type { Fix } from '../fixes/fix.ts'
import { outcomeText } from '../outcome-texts.ts'
import { type Bench, type Judgement, pass, type Scenario, skip, type TlsVersion, warn } from '../scenario.ts'
import { DOCUMENT_1, FIELD, type Rule, rfc, rule } from '../sources.ts'
import { joined, type Text, text } from '../text.ts'
import type { WrongCaller } from '../wrong-callers.ts'
import { judgeRefused, mustRefuse, together } from './refusal.ts'
import { nameOf } from './two-requests.ts'

const CHAIN = rule(
  DOCUMENT_1,
  'The chain of the service is the trusted client chain.',
  'A cadeia do serviço é a cadeia de clientes confiável.',
)
const SAME_ROOT = rule(
  FIELD,
  'The certificates of both environments, and perhaps of every customer, can end in the same root. The issuing certificate of the installed chain decides, never the root alone.',
  'Os certificados dos dois ambientes, e talvez de todos os clientes, podem terminar na mesma raiz. O certificado emissor da cadeia instalada decide, nunca a raiz sozinha.',
)

interface Wrong {
  readonly id: WrongCaller
  readonly title: Text
  readonly caller: Text
  readonly why: Rule
  readonly fix: Fix
}

const sibling: Wrong = {
  id: 'sibling',
  title: text(
    'A certificate of another issuer below the same root is refused',
    'O certificado de outro emissor abaixo da mesma raiz é recusado',
  ),
  caller: text('a certificate of a sibling issuer', 'certificado de outro emissor da mesma raiz'),
  why: SAME_ROOT,
  fix: PIN_ISSUER,
}

const foreign: Wrong = {
  id: 'foreign',
  title: text('A certificate of a foreign authority is refused', 'O certificado de outra autoridade é recusado'),
  caller: text('a foreign certificate', 'certificado de outra autoridade'),
  why: CHAIN,
  fix: VERIFY_CERTIFICATE,
}

const sameName: Wrong = {
  id: 'foreign-same-name',
  title: text(
    'A foreign certificate whose issuer has the right name is refused',
    'Um certificado de outra autoridade, cujo emissor tem o nome certo, é recusado',
  ),
  caller: text('a foreign certificate with the right names', 'certificado de outra autoridade, com os nomes certos'),
  why: rule(
    DOCUMENT_1,
    `${CHAIN.en} Anyone can write these names into a certificate; only the signature proves the issuer.`,
    `${CHAIN.pt} Qualquer um pode escrever esses nomes em um certificado; só a assinatura prova o emissor.`,
  ),
  fix: VERIFY_CERTIFICATE,
}

const expired: Wrong = {
  id: 'expired',
  title: text('An expired certificate is refused', 'Um certificado vencido é recusado'),
  caller: text('an expired certificate', 'certificado vencido'),
  why: rule(
    DOCUMENT_1,
    `${CHAIN.en} A certificate proves nothing after its last day (RFC 5280 section 4.1.2.5).`,
    `${CHAIN.pt} Um certificado nada prova depois do último dia (RFC 5280 seção 4.1.2.5).`,
  ),
  fix: VERIFY_CERTIFICATE,
}

const serverOnly: Wrong = {
  id: 'server-only',
  title: text('A certificate for servers only is refused', 'Um certificado só para servidores é recusado'),
  caller: text('a certificate for servers', 'certificado para servidores'),
  why: rule(
    DOCUMENT_1,
    `${CHAIN.en} A certificate whose extended key usage leaves clientAuth out authenticates no caller (RFC 5280 section 4.2.1.12).`,
    `${CHAIN.pt} Um certificado cujo extended key usage não tem clientAuth não autentica quem chama (RFC 5280 seção 4.2.1.12).`,
  ),
  fix: VERIFY_CERTIFICATE,
}

function wrongScenario({ id, title, caller, why, fix }: Wrong): Scenario {
  return {
    id,
    title,
    why,
    fix,
    run: async (bench) => mustRefuse(bench, caller, { credentials: await bench.wrongCaller(id) }),
  }
}

const otherEnvironment: Scenario = {
  id: 'other-environment',
  title: text('The certificate of the other environment is refused', 'O certificado do outro ambiente é recusado'),
  why: SAME_ROOT,
  fix: PIN_ISSUER,
  async run(bench) {
    if (bench.environment === null)
      return skip(
        text(
          'a receiver may serve both environments: name that of this one with --environment',
          'um receptor pode atender aos dois ambientes: nomeie o dele com --environment',
        ),
      )
    const caller = text('the certificate of the other environment', 'o certificado do outro ambiente')
    return mustRefuse(bench, caller, { credentials: await bench.wrongCaller('other-environment') })
  },
}

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const

const sessionWithout: Scenario = {
  id: 'session-without-certificate',
  title: text(
    'A session begun without a certificate stays refused',
    'Uma sessão iniciada sem certificado continua recusada',
  ),
  why: rule(
    DOCUMENT_1,
    'A certificate is required. A resumed session makes no new exchange of certificates, and some servers then take the caller for a verified one.',
    'O certificado é exigido. Uma sessão retomada não troca certificados de novo, e alguns servidores tomam então quem chama por verificado.',
  ),
  fix: NO_RESUMPTION,
  needsNoAnswer: true,
  async run(bench) {
    const judged = VERSIONS.map(async (version): Promise<Judgement> => {
      const session = await sessionOf(bench, version, null)
      if (session === null)
        return pass(text('no session is given without a certificate', 'nenhuma sessão é dada sem certificado'))
      const finished = await bench.send({
        credentials: null,
        tls: { version, session },
        call: { isStatusEnough: true },
      })
      return judgeRefused(
        text(`session without a certificate in ${nameOf(version)}`, `sessão sem certificado em ${nameOf(version)}`),
        finished,
      )
    })
    return together(await Promise.all(judged))
  },
}

const sessionWith: Scenario = {
  id: 'session-with-certificate',
  title: text(
    'A session begun with the certificate is answered again',
    'Uma sessão iniciada com o certificado é respondida de novo',
  ),
  why: rule(
    rfc(8446, '2.2'),
    'A session that began with the certificate may be resumed. The service loses nothing where it is not.',
    'Uma sessão que começou com o certificado pode ser retomada. O serviço nada perde quando não é.',
  ),
  fix: REQUIRE_CERTIFICATE,
  async run(bench) {
    const judged = VERSIONS.map(async (version): Promise<Judgement> => {
      const session = await sessionOf(bench, version, undefined)
      if (session === null)
        return pass(text(`${nameOf(version)}: no session to resume`, `${nameOf(version)}: nenhuma sessão a retomar`))
      let isReused = false
      const { outcome } = await bench.send({
        tls: { version, session },
        call: {
          onSecured: (socket) => {
            isReused = socket.isSessionReused()
          },
        },
      })
      const how = isReused
        ? text(`${nameOf(version)}: resumed`, `${nameOf(version)}: retomada`)
        : text(`${nameOf(version)}: not resumed`, `${nameOf(version)}: não retomada`)
      return isSuccess(outcome) ? pass(how) : warn(joined([how, outcomeText(outcome)], ', '))
    })
    return together(await Promise.all(judged))
  },
}

/** A session that the receiver gave to such a caller; null: none. */
async function sessionOf(bench: Bench, version: TlsVersion, credentials: null | undefined): Promise<Buffer | null> {
  let session: Buffer | null = null
  await bench.send({
    ...(credentials === null && { credentials }),
    tls: { version },
    call: {
      onSecured: (socket) => {
        session = version === 'TLSv1.2' ? (socket.getSession() ?? null) : null
        socket.on('session', (given: Buffer) => {
          session = given
        })
      },
    },
  })
  return session
}

export const WRONG_CALLERS: readonly Scenario[] = [
  ...[sibling, foreign, sameName, expired, serverOnly].map(wrongScenario),
  otherEnvironment,
  sessionWithout,
  sessionWith,
]
