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

const CHAIN = rule(DOCUMENT_1, 'The chain of the service is the trusted client chain.')
const SAME_ROOT = rule(
  FIELD,
  'The certificates of both environments, and perhaps of every customer, can end in the same root. The issuing certificate of the installed chain decides, never the root alone.',
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
  title: text('A certificate of another issuer below the same root is refused'),
  caller: text('a certificate of a sibling issuer'),
  why: SAME_ROOT,
  fix: PIN_ISSUER,
}

const foreign: Wrong = {
  id: 'foreign',
  title: text('A certificate of a foreign authority is refused'),
  caller: text('a foreign certificate'),
  why: CHAIN,
  fix: VERIFY_CERTIFICATE,
}

const sameName: Wrong = {
  id: 'foreign-same-name',
  title: text('A foreign certificate whose issuer has the right name is refused'),
  caller: text('a foreign certificate with the right names'),
  why: rule(
    DOCUMENT_1,
    '{chain} Anyone can write these names into a certificate; only the signature proves the issuer.',
    { chain: CHAIN },
  ),
  fix: VERIFY_CERTIFICATE,
}

const expired: Wrong = {
  id: 'expired',
  title: text('An expired certificate is refused'),
  caller: text('an expired certificate'),
  why: rule(DOCUMENT_1, '{chain} A certificate proves nothing after its last day (RFC 5280 section 4.1.2.5).', {
    chain: CHAIN,
  }),
  fix: VERIFY_CERTIFICATE,
}

const serverOnly: Wrong = {
  id: 'server-only',
  title: text('A certificate for servers only is refused'),
  caller: text('a certificate for servers'),
  why: rule(
    DOCUMENT_1,
    '{chain} A certificate whose extended key usage leaves clientAuth out authenticates no caller (RFC 5280 section 4.2.1.12).',
    { chain: CHAIN },
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
  title: text('The certificate of the other environment is refused'),
  why: SAME_ROOT,
  fix: PIN_ISSUER,
  async run(bench) {
    if (bench.environment === null)
      return skip(text('a receiver may serve both environments: name that of this one with --environment'))
    const caller = text('the certificate of the other environment')
    return mustRefuse(bench, caller, { credentials: await bench.wrongCaller('other-environment') })
  },
}

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const

const sessionWithout: Scenario = {
  id: 'session-without-certificate',
  title: text('A session begun without a certificate stays refused'),
  why: rule(
    DOCUMENT_1,
    'A certificate is required. A resumed session makes no new exchange of certificates, and some servers then take the caller for a verified one.',
  ),
  fix: NO_RESUMPTION,
  needsNoAnswer: true,
  async run(bench) {
    const judged = VERSIONS.map(async (version): Promise<Judgement> => {
      const session = await sessionOf(bench, version, null)
      if (session === null) return pass(text('no session is given without a certificate'))
      const finished = await bench.send({
        credentials: null,
        tls: { version, session },
        call: { isStatusEnough: true },
      })
      return judgeRefused(text('session without a certificate in {name}', { name: nameOf(version) }), finished)
    })
    return together(await Promise.all(judged))
  },
}

const sessionWith: Scenario = {
  id: 'session-with-certificate',
  title: text('A session begun with the certificate is answered again'),
  why: rule(
    rfc(8446, '2.2'),
    'A session that began with the certificate may be resumed. The service loses nothing where it is not.',
  ),
  fix: REQUIRE_CERTIFICATE,
  async run(bench) {
    const judged = VERSIONS.map(async (version): Promise<Judgement> => {
      const session = await sessionOf(bench, version, undefined)
      if (session === null) return pass(text('{name}: no session to resume', { name: nameOf(version) }))
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
        ? text('{name}: resumed', { name: nameOf(version) })
        : text('{name}: not resumed', { name: nameOf(version) })
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
