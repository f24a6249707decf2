import { tokenForm } from '../facts.ts'
import { ANSWER_WELL, ANY_BODY } from '../fixes/answers.ts'
import type { Fix } from '../fixes/fix.ts'
import { type Bench, type Judgement, type Scenario, type Sending, skip } from '../scenario.ts'
import { FIELD, type Rule, rule, SILENT_2 } from '../sources.ts'
import { type Text, text } from '../text.ts'
import { mustAccept } from './answers.ts'
import { together } from './refusal.ts'

const FORM = 'application/x-www-form-urlencoded'

const TWO_FORMS = rule(
  FIELD,
  'Notifications of charges come without a client certificate, as JSON entries or as a form with a token.',
  'Notificações de cobranças vêm sem certificado de cliente, como entradas JSON ou como um formulário com um token.',
)
const ANY_SCHEME = rule(SILENT_2, 'notification_url may be https or http.', 'notification_url pode ser https ou http.')

const token: Scenario = {
  id: 'charge-token',
  order: 'first',
  title: text('The form with a token is answered with 2xx', 'O formulário com um token é respondido com 2xx'),
  why: TWO_FORMS,
  fix: ANSWER_WELL,
  run: (bench) => sendToken(bench, text('the form', 'o formulário')),
}

const entries: Scenario = {
  id: 'charge-entries',
  title: text('JSON entries are answered with 2xx', 'Entradas JSON são respondidas com 2xx'),
  why: TWO_FORMS,
  fix: ANY_BODY,
  run: (bench) => mustAccept(bench, text('JSON entries', 'entradas JSON')),
}

const tokenTwice: Scenario = {
  id: 'charge-token-twice',
  title: text('The same token again is answered with 2xx', 'O mesmo token de novo é respondido com 2xx'),
  why: rule(
    FIELD,
    'The token is the same for the whole life of its charge. Each time it says that something is new.',
    'O token é o mesmo por toda a vida da cobrança. Cada vez ele diz que há novidade.',
  ),
  fix: ANY_BODY,
  async run(bench) {
    if (!isFormTaken(bench)) return skip(FORM_IS_REFUSED)
    const content = tokenForm()
    const first = await sendToken(bench, text('the first time', 'na primeira vez'), { content })
    return together([first, await sendToken(bench, text('the second time', 'na segunda vez'), { content, times: 2 })])
  },
}

function schemeScenario(scheme: 'https' | 'http', why: Rule, fix: Fix): Scenario {
  const title = text(
    `A notification over ${scheme} is answered with 2xx`,
    `Uma notificação por ${scheme} é respondida com 2xx`,
  )
  return {
    id: `charge-${scheme}`,
    title,
    why,
    fix,
    async run(bench) {
      const url = bench.addresses.find(({ protocol }) => protocol === `${scheme}:`)
      if (url === undefined)
        return skip(
          text(
            `no address with ${scheme} is named with --charges`,
            `nenhum endereço com ${scheme} é nomeado com --charges`,
          ),
        )
      if (!isFormTaken(bench)) return skip(FORM_IS_REFUSED)
      return sendToken(bench, text(scheme, scheme), { url })
    },
  }
}

/** It came first. */
function isFormTaken({ stored }: Bench): boolean {
  return stored.accepted.some(({ scenario }) => scenario === token.id)
}

const FORM_IS_REFUSED = text(
  'the form with a token is not taken (charge-token), so this would say the same',
  'o formulário com um token não é aceito (charge-token), então isto diria o mesmo',
)

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
