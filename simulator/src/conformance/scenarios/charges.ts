import { tokenForm } from '../facts.ts'
import { ANSWER_WELL, ANY_BODY } from '../fixes/answers.ts'
import type { Fix } from '../fixes/fix.ts'
import { type Bench, type Judgement, type Scenario, type Sending, skip } from '../scenario.ts'
import { FIELD, type Rule, rule, SILENT_2 } from '../sources.ts'
import { type Text, text, verbatim } from '../text.ts'
import { mustAccept } from './answers.ts'
import { together } from './refusal.ts'

const FORM = 'application/x-www-form-urlencoded'

const TWO_FORMS = rule(
  FIELD,
  'Notifications of charges come without a client certificate, as JSON entries or as a form with a token.',
)
const ANY_SCHEME = rule(SILENT_2, 'notification_url may be https or http.')

const token: Scenario = {
  id: 'charge-token',
  order: 'first',
  title: text('The form with a token is answered with 2xx'),
  why: TWO_FORMS,
  fix: ANSWER_WELL,
  run: (bench) => sendToken(bench, text('the form')),
}

const entries: Scenario = {
  id: 'charge-entries',
  title: text('JSON entries are answered with 2xx'),
  why: TWO_FORMS,
  fix: ANY_BODY,
  run: (bench) => mustAccept(bench, text('JSON entries')),
}

const tokenTwice: Scenario = {
  id: 'charge-token-twice',
  title: text('The same token again is answered with 2xx'),
  why: rule(FIELD, 'The token is the same for the whole life of its charge. Each time it says that something is new.'),
  fix: ANY_BODY,
  async run(bench) {
    if (!isFormTaken(bench)) return skip(FORM_IS_REFUSED)
    const content = tokenForm()
    const first = await sendToken(bench, text('the first time'), { content })
    return together([first, await sendToken(bench, text('the second time'), { content, times: 2 })])
  },
}

function schemeScenario(scheme: 'https' | 'http', why: Rule, fix: Fix): Scenario {
  const title = text('A notification over {scheme} is answered with 2xx', { scheme })
  return {
    id: `charge-${scheme}`,
    title,
    why,
    fix,
    async run(bench) {
      const url = bench.addresses.find(({ protocol }) => protocol === `${scheme}:`)
      if (url === undefined) return skip(text('no address with {scheme} is named with --charges', { scheme }))
      if (!isFormTaken(bench)) return skip(FORM_IS_REFUSED)
      return sendToken(bench, verbatim(scheme), { url })
    },
  }
}

/** It came first. */
function isFormTaken({ stored }: Bench): boolean {
  return stored.accepted.some(({ scenario }) => scenario === token.id)
}

const FORM_IS_REFUSED = text('the form with a token is not taken (charge-token), so this would say the same')

function sendToken(bench: Bench, what: Text, sending: Sending = {}): Promise<Judgement> {
  return mustAccept(bench, what, { content: tokenForm(), contentType: FORM, ...sending })
}

export const CHARGES: readonly Scenario[] = [
  token,
  entries,
  tokenTwice,
  schemeScenario('https', ANY_SCHEME, ANSWER_WELL),
  schemeScenario('http', ANY_SCHEME, ANSWER_WELL),
]
